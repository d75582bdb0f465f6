"""Reads a calendar and prints what programs of other makers see in it.

usage: occurrences.py FROM TO < calendar.ics   (dates such as 2026-03-01)
Prints one JSON object for each occurrence, in order of time. The properties are
read by icalendar, the definitions of time zones and the rules by dateutil.
"""
import datetime
import io
import json
import sys

import icalendar
from dateutil import rrule, tz

text = sys.stdin.buffer.read()
calendar = icalendar.Calendar.from_ical(text)
begin, end = (datetime.datetime.fromisoformat(day).replace(tzinfo=tz.UTC) for day in sys.argv[1:3])
zones = tz.tzical(io.StringIO(text.decode(), newline="")) if b"BEGIN:VTIMEZONE" in text else None


def moment(event, name):
    """The time of a property, in the zone that the calendar itself defines."""
    at = event[name].dt
    if "TZID" in event[name].params:
        return at.replace(tzinfo=zones.get(event[name].params["TZID"]))
    return at.replace(tzinfo=tz.UTC)


found = []
for event in calendar.walk("VEVENT"):
    starts = moment(event, "DTSTART")
    length = moment(event, "DTEND").astimezone(tz.UTC) - starts.astimezone(tz.UTC)
    times = [starts]
    if "RRULE" in event:
        rule = rrule.rrulestr(event["RRULE"].to_ical().decode(), dtstart=starts)
        times = rule.between(begin, end, inc=True)
    found += [(at, length, event) for at in times if begin <= at < end]

for at, length, event in sorted(found, key=lambda one: one[0].astimezone(tz.UTC)):
    print(json.dumps({
        "uid": str(event["UID"]),
        "title": str(event["SUMMARY"]),
        "text": str(event.get("DESCRIPTION", "")),
        "starts": at.isoformat(),
        "ends": (at.astimezone(tz.UTC) + length).astimezone(at.tzinfo).isoformat(),
        "properties": sorted(set(event.keys())),
    }))
