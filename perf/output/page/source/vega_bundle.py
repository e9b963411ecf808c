"""Writes Vega, Vega-Lite and Vega-Embed, which draw the report's plots, as one script into the named file."""
import sys

import vl_convert

with open(sys.argv[1], "w", encoding="utf-8", newline="\n") as file:
    file.write(vl_convert.javascript_bundle())
