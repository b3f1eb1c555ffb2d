# SPDX-License-Identifier: Apache-2.0
"""Takes out of outputs what is another at every run: clock times, time stamps, folders of this machine.

A value is masked with "*", never removed: that it is there stays part of what is compared.
"""
import json
import re

MASK = "*"

# Keys of JSON objects whose values are wall-clock times or positions in files that hold some.
TIME_KEYS = {
    "t", "seconds", "judge_seconds", "created", "updated", "seconds_left", "journal_length", "pid", "host", "wall_s",
}
# Metrics of the journal that are measured with a clock.
TIME_METRICS = re.compile(r"^(timing_s/|timing_per_token_ms/|perf/time_per_step$|perf/throughput$)")
# Columns of the index, and of tables that `bench --csv` writes.
TIME_COLUMNS = {"t", "created", "updated", "position", "candidates", "conversion_us", "break_even_calls"}
DURATION = re.compile(r"\b\d+(?:\.\d+)? ?(?:µs|ms|s|min)\b|\s+\d+ calls(?=$|  \S)", re.MULTILINE)
# A metric measured with a clock, as `runs NAME` lists it: name, split, step, value.
TIME_LISTED = re.compile(r"^( +(?:timing_s/|timing_per_token_ms/|perf/time_per_step|perf/throughput)\S* +\S+ +\d+ +)\S+$",
                         re.MULTILINE)
LOCKED = re.compile(r"(Programs run in locked processes: )[^\n]*")  # what this machine has to lock them with
STAMP = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?")


def is_time(key):
    return key in TIME_KEYS or bool(TIME_METRICS.match(key))


class Cleaner:
    """Knows the folders whose names are replaced: {"/tmp/xyz": "<work>", ...}."""

    def __init__(self, folders):
        self._folders = sorted(folders.items(), key=lambda item: -len(item[0]))

    def text(self, text):
        """Text for people: folders, durations and dates are masked."""
        for folder, name in self._folders:
            text = text.replace(folder, name)
        text = TIME_LISTED.sub(lambda match: match.group(1) + MASK, text)
        text = LOCKED.sub(lambda match: match.group(1) + MASK, text)
        return STAMP.sub("<date>", DURATION.sub("<duration>", text))

    def value(self, value):
        """A JSON value, at any depth."""
        if isinstance(value, dict):
            if isinstance(value.get("name"), str) and is_time(value["name"]) and "value" in value:
                value = dict(value, value=MASK)  # a metric as `runs --json` lists it
            return {key: MASK if is_time(key) else self.value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, str):
            return self.text(value)
        return value

    def line(self, line):
        """One line of JSON; anything else is taken as text."""
        try:
            value = json.loads(line)
        except ValueError:
            return self.text(line)
        return dump(self.value(value))

    def lines(self, text):
        return "\n".join(self.line(line) for line in text.splitlines())


def dump(value):
    """One line; keys in the order they came in, which is part of the format."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pretty(value):
    """Lines that diff well."""
    return json.dumps(value, ensure_ascii=False, indent=1)
