"""The short lines of tickets and bookings, as they stand in lists and forms."""
LINES = """{from} - {to}
{from} -> {to}
{from} to {to}
{from} > {to}
{from} / {to}
{from}
from {from}
to {to}
{from}, {time}
{from} {time}
{to} {end}
{date0}
{date0}, {time}
{date0} {time}
{date0} - {time}
{time}
dep {time}
arr {end}
{end}
Seat {seat}
seat {seat}
Coach {coach}
car {coach}, seat {seat}
coach {coach} seat {seat}
Platform {platform}
pl. {platform}
track {platform}
Gate {gate}
gate {gate}, seat {seat}
{train}
{train}
{train} {from} - {to}
{train}, platform {platform}
{title}
{title}
{title}, {venue}
{title} @ {venue}
{title} - {showdate0}
{venue}
{venue}
@ {venue}
{venue}, {showdate0}
{passenger}
{passenger}
name {passenger}
for {passenger}
{booking}
ref {booking}
Booking {booking}
#{booking}
{price}
{price}
Total {price}
paid {price}
{count} tickets
{count} x adult
{count} persons
{class}
{class0}
{class}, seat {seat}
(dep|dep.|departure|departs|leaves|leaving|off|start)(:| at|) {time}
(arr|arr.|arrival|arrives|there|in)(:| at|) {end}
(dep|dep.|leaving|start|departs|departure) {from} {time}
(arr|arr.|arrives|arrival|ends) {to} {end}
(start|origin|leaving|board at|departing)(:| from) {from}
(destination|dest.|dest|going to|final stop|get off at|off at)(:|) {to}
{from}, {to}
{from} via {x_city} to {to}
{from} - {to}, {date0}
(travel date|valid|date|day|trip on|good on|travel)(:|) {date0}
{date0} at {time}
{time}, {date0}
{time} - {end}
{seat}
(seat no|seat nr|your seat|place|sitting at|reserved|seat #)(:|) {seat}
(coach|carriage|wagon|car) (no. |nr |# |){coach}
(coach|carriage|wagon|car) {coach} / seat {seat}
seat {seat}, (coach|carriage|car) {coach}
(plat.|platf.|platform|track|plt|gl.) {platform}
platform {platform}, {time}
(at|boarding|board at|boarding:|from) gate {gate}
{train} (to|for|towards) {to}
{train}, {time}
(train|service|by|with)(:|) {train}
(flight|flt|flight no.|by|with)(:|) {flight}
{flight}
{flight}
{flight} {from} - {to}
{flight}, gate {gate}
{bus}
{bus}
(take|with|by) {bus}
{bus}, {time}
(show|concert|tickets|event|tonight|film|play|entry)(:| -) {title}
{title}, {showdate0}
{showdate0}
{showdate0}, {showtime}
{showtime}
(date|when|day|on)(:|) {showdate0}
(start|begins|starts|showtime|at)(:|) {showtime}
{title}, {showdate0}, {showtime}
{title} at {venue}
(at|place|venue|location|hall|where)(:|) {venue}
(pax|passenger|guest|holder|traveller|for|name)(:|) {passenger}
{passenger} / {booking}
(PNR|booking|code|ref|ref.|conf.|confirmation|reservation|res.)(:| no.| #|) {booking}
booked as {booking}
(fare|total|sum|paid|price|cost|amount|charged)(:|) {price}
{price} (paid|total|by card|incl. fees|in all)
{count} (adults|passengers|pax|people|places|travellers|admissions)
(tickets|pax|adults|persons|seats|party of)(:|) {count}
(class|cl.|cabin|fare class)(:|) {class}"""
