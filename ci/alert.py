#!/usr/bin/env python3
"""Posts rows that became slower to a webhook: one alert a slowdown, however many runs see it.

  python3 ci/alert.py [URL]   after `ratchet gate`; without URL the variable RATCHET_WEBHOOK, which keeps it out of logs

A row counts from its first run that is *slower* and accepted by no commit, until it is same or faster again, or
accepted. The message is JSON: `text` for people (Slack, Mattermost and Google Chat show it), `slower` for programs.
A server that is away, busy (429) or failing (5xx) is asked again after 1, 2, 4 and 8 s, or when it says
(Retry-After, a minute at most). What was not delivered is sent with the next call.

Exit codes: 0 delivered, or nothing new; 2 not delivered, or bad input.
"""
import argparse
import fcntl
import json
import os
import random
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

WAITS_S = (1, 2, 4, 8)
MOST_WAIT_S = 60


class Failed(RuntimeError):
    """Ends with a line for the user, and exit code 2."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would arrive as a GET without the message."""

    def redirect_request(self, *_):
        return None


def series(options):
    words = [options.ratchet, "history", ".", "--json", *(["--history", options.history] if options.history else [])]
    try:
        done = subprocess.run(words, capture_output=True, text=True)
    except OSError as error:
        raise Failed(f"{options.ratchet}: {error.strerror}; name the program by --ratchet") from error
    if done.returncode != 0:
        raise Failed(f"ratchet history ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def began(points):
    """The first run of the slowdown that is open at the last of the points; None where none is."""
    first = None
    for point in reversed(points):
        if point["verdict"] in ("same", "faster", "accepted") or point.get("accepted"):
            break
        if point["verdict"] == "slower":
            first = point
    return first


def open_slowdowns(all_series):
    """By a key that stays the same from run to run: what an alert says of it."""
    found = {}
    for each in all_series:
        first = began(each["points"])
        if first:
            key = "\t".join([each["row"], each["fingerprint"], each["clock"], first["time"]])
            found[key] = {"row": each["row"], "machine": each["machine"], "clock": each["clock"],
                          "ratio": first["ratio"], "revision": first["revision"], "time": first["time"],
                          "reason": first["reason"]}
    return found


def line(each):
    change = "" if each["ratio"] is None else f", {100 * (each['ratio'] - 1):+.2f} %"
    return f"{each['row']}: slower{change} on {each['machine']} at {each['revision'] or 'no commit'} ({each['time']})"


def message(slower):
    count = "1 row became slower" if len(slower) == 1 else f"{len(slower)} rows became slower"
    text = "\n".join([f"ratchet: {count}", *map(line, slower)])
    return json.dumps({"text": text, "slower": slower}).encode()


def wait_s(error, planned):
    """How long until the next try."""
    asked = (getattr(error, "headers", None) or {}).get("Retry-After", "")
    if asked.isdigit():
        return min(int(asked), MOST_WAIT_S)
    return planned * random.uniform(1, 1.25)  # so that the jobs of a matrix do not come back together


def post(url, body):
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    where = urllib.parse.urlsplit(url).hostname  # the rest of it is often a secret
    opener = urllib.request.build_opener(NoRedirect)
    for planned in (*WAITS_S, None):
        try:
            with opener.open(request, timeout=30):
                return
        except urllib.error.HTTPError as error:
            failed, again = error, error.code == 429 or error.code >= 500
            what = f"{where} answered {error.code} {error.reason}"
        except OSError as error:
            failed, again = error, True
            what = f"{where}: {getattr(error, 'reason', error)}"
        if not again or planned is None:
            raise Failed(f"not delivered: {what}; it is sent again with the next call")
        pause = wait_s(failed, planned)
        print(f"ratchet: {what}; again in {pause:.0f} s", file=sys.stderr, flush=True)
        time.sleep(pause)


def sent_before(state):
    text = state.read()
    try:
        known = json.loads(text) if text else []
    except ValueError:
        known = None
    if not isinstance(known, list) or not all(isinstance(key, str) for key in known):
        raise Failed(f"{state.name} is not a list of alerts; remove it, and every open slowdown is reported once more")
    return known


def alert(options):
    parts = urllib.parse.urlsplit(options.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Failed("the webhook's address begins with https:// or http://; give it as URL or in RATCHET_WEBHOOK")
    slower = open_slowdowns(series(options))
    options.state.parent.mkdir(parents=True, exist_ok=True)
    with options.state.open("a+") as state:
        fcntl.flock(state, fcntl.LOCK_EX)  # of two at once the second sees what the first sent
        state.seek(0)
        known = sent_before(state)
        new = [about for key, about in slower.items() if key not in known]
        if new:
            post(options.url, message(new))
        state.seek(0)
        state.truncate()
        state.write(json.dumps(sorted(slower)) + "\n")
    for each in new:
        print(f"ratchet: sent: {line(each)}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(prog="alert.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", nargs="?", default=os.environ.get("RATCHET_WEBHOOK", ""), metavar="URL")
    parser.add_argument("--history", metavar="WHERE", help="as of `ratchet history`")
    parser.add_argument("--state", type=Path, default=Path("results/alerts.json"), metavar="FILE",
                        help="which slowdowns were sent (results/alerts.json); keep it between runs")
    parser.add_argument("--ratchet", default="ratchet", metavar="PROGRAM")
    try:
        alert(parser.parse_args())
    except (Failed, OSError) as failed:
        print(f"ratchet: {failed}", file=sys.stderr)
        return 2
    return 0


sys.exit(main())
