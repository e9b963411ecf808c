"""Writes Vega, Vega-Lite and Vega-Embed as one script into the file named: what draws the report's plots."""
import sys

import vl_convert

with open(sys.argv[1], "w", encoding="utf-8", newline="\n") as file:
    file.write(vl_convert.javascript_bundle())
