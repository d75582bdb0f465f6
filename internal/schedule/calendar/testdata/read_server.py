"""Reads the events of a CalDAV server with a client of another maker.

usage: read_server.py ADDRESS USER PASSWORD CALENDAR
Prints the iCalendar text of each event of the calendar of that name.
"""
import sys

import caldav

address, user, password, name = sys.argv[1:5]
for calendar in caldav.DAVClient(address, username=user, password=password).principal().calendars():
    if calendar.name == name:
        for event in calendar.events():
            sys.stdout.write(event.data)
