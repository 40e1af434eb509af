"""Facts taken out of a text as JSON, for the schema that is given.

The rules. The answer is one JSON object with the properties of the schema in its order; a property of which the text says nothing is left
out. Texts are copied. Times, dates and numbers are spelled as in calls (times.py); prices are numbers with the digits that were written.
"""
import json

from . import fillers, times, words
from .split import Lexicon, is_for_test

SHOPS = Lexicon("shops", ["Bookworm", "Bike World", "Shoe Corner", "Garden Dream", "Toy Castle", "Tech Hut", "Fresh Farm", "Coffee Lab", "Music Loft",
                          "Paper House", "Tea Garden", "Lamp Land", "Kids Planet", "Sport Point", "Home Style", "Tool Barn", "Pet Palace", "Print Shop"])
CARRIERS = Lexicon("carriers", ["FastPost", "Blue Parcel", "QuickShip", "Northern Express", "City Courier", "PostLine", "Green Wheels", "Swift Box",
                                "Red Arrow Post", "EuroParcel", "Rapid Mail", "Harbour Freight", "Sky Courier", "Pony Mail"])
DOMAIN_WORDS = "mail post home web net office inbox letter".split()
SHOWS = Lexicon("shows", ["The Winter Garden", "Moonlight Circus", "Three Sisters", "The Lost Opera", "City of Glass", "Jazz on the Lake", "The Magic Forest",
                          "Night of the Violins", "The Silent Clown", "Rock the Harbour", "A Summer Comedy", "The Paper Moon", "Dance of the Fireflies",
                          "The Iron Horse", "Songs of the North", "The Clockmaker", "Sea of Stars", "The Tall Tale Show"])
VENUES = Lexicon("venues", ["City Hall", "Grand Theatre", "Riverside Arena", "Old Opera", "Palace Cinema", "Harbour Stage", "Royal Hall", "Green Park Stage",
                            "Star Theatre", "Market Hall", "North Stadium", "Lakeside Pavilion", "Union Hall", "Garden Theatre"])
ITEMS = Lexicon("parcel contents", ["a pair of boots", "a desk lamp", "two books", "a blue jacket", "a coffee grinder", "a phone case", "running shoes",
                                    "a board game", "a set of knives", "a wool blanket", "a garden hose", "headphones", "a tea pot", "a backpack",
                                    "a bike helmet", "a chess set", "a rain coat", "a keyboard", "a frying pan", "a puzzle"])
UNITS = ("kg", "litres", "packs", "bottles", "bags", "cans", "boxes")


def phone_number(choose):
    rng = choose.rng
    while True:
        number = rng.choice(("0", "+49 ", "+44 ", "+1 ", "+33 ", "0", "0")) + "".join(str(rng.randrange(10)) for _ in range(rng.randint(2, 4)))
        number += rng.choice((" ", "-", " ", "")) + "".join(str(rng.randrange(10)) for _ in range(rng.randint(4, 7)))
        if is_for_test("phones", number) == (choose.side == "test"):
            return number


def email(choose, name):
    rng = choose.rng
    first, _, last = name.lower().replace("'", "").partition(" ")
    local = rng.choice((first, f"{first}.{last}" if last else first, f"{first}{rng.randint(1, 99)}", f"{first[0]}{last}" if last else first))
    return f"{local}@{rng.choice(DOMAIN_WORDS)}{rng.choice(('', rng.choice(DOMAIN_WORDS), words.made_up_name(choose).lower()))}.{rng.choice(('com', 'org', 'net', 'de', 'eu', 'uk'))}"


def price(choose):
    rng = choose.rng
    euros, cents = rng.randint(1, 250), rng.choice((0, 50, 90, 95, 99, rng.randrange(100)))
    return (euros, str(euros)) if choose.chance(0.5) else (float(f"{euros}.{cents:02}"), f"{euros}.{cents:02}")


def code(choose):
    return fillers._code(choose, None)[0]


# A kind has properties (key -> names, type, descriptions) and clauses: what is said of one or more of them.
class Kind:
    def __init__(self, name, asks, properties, required, openings, clauses):
        self.name, self.properties, self.required, self.clauses = name, properties, required, {}
        self.asks = Lexicon(f"extraction {name}: asks", asks.split("\n"))
        self.openings = Lexicon(f"extraction {name}: openings", openings.strip().split("\n"))
        for key, lines in clauses.items():
            self.clauses[key] = Lexicon(f"extraction {name}: {key}", lines.strip().split("\n"))


KINDS = {
    "contact": Kind("contact", "Extract the contact.\nTake the contact out of the text.\nWho is it? Fill in the contact.\nContact as JSON.\nGive me the contact data.\nFind the contact details.\nFill in the address book entry.\nTurn this into a contact.\nRead the contact out of this.\nWhich contact is in the text?\nMake a contact of this.\nGet the person and the details.\nPlease extract the contact details.\nSave this as a contact.\nFill in the contact.\nContact please.",
                    {"name": (("name", "full_name", "person"), "string"), "phone": (("phone", "phone_number", "telephone", "mobile"), "string"), "email": (("email", "mail", "email_address"), "string"),
                     "address": (("address", "street"), "string"), "city": (("city", "town"), "string"), "company": (("company", "employer", "works_at"), "string"), "birthday": (("birthday", "born", "date_of_birth"), "string")}, ("name",), """
This is {name}.
I met {name} today.
Please save {name}.
{name} wrote to me.
My name is {name}.
New contact: {name}.
Here are the details of {name}.
{name} moved.
I talked to {name} yesterday.
You can reach {name} now.
Kind regards, {name}.
Have you met {name}?
Our new colleague is {name}.
The plumber is called {name}.
Ask for {name}.
I got this from {name}.
Hello, this is {name}.
Hi, {name} here.
Say hello to {name}.
Best regards, {name}.
Yours, {name}.
Name: {name}.
Contact person: {name}.
For questions ask {name}.
I am {name}.
A friend of mine is {name}.
The new doctor is {name}.
Please add {name} to my contacts.
{name} gave me a card.
{name} has new details.
{name} joined us last week.
Yesterday I saw {name} again.
My neighbour {name} left this.
You asked for {name}.
Do you remember {name}?
Keep in touch with {name}.""", {
        "phone": "Telephone: {phone}.\nCell phone {phone}.\nThe new number is {phone}.\nDial {phone}.\nGive a ring on {phone}.\nNumber: {phone}.\nText {phone}.\nThe number is {phone}.\nPhone: {phone}.\nCall {phone}.\nTel. {phone}\nYou can call {phone}.\nMobile {phone}.\nReachable at {phone}.\nThe phone number is {phone}.\nRing {phone} any time.\nPhone number: {phone}.\nMy number is {phone}.\nNew number: {phone}.\nPlease call {phone}.\nCall me on {phone}.\nThe mobile number is {phone}.\nReach me under {phone}.\nFax and phone: {phone}.\nRing me on {phone}.\nBy phone: {phone}.",
        "email": "You can write to {email}.\nThe mail address is {email}.\nBy mail: {email}\nMail: {email}\nAnswer to {email}.\nContact: {email}\nQuestions go to {email}.\nMail goes to {email}.\nEmail: {email}\nWrite to {email}.\nThe address for mail is {email}.\nE-mail {email}\nSend mail to {email}.\nThe email is {email}.\nMessages go to {email}.\nEmail address: {email}\nMy email is {email}.\nThe email address is {email}.\nPlease write to {email}.\nDrop a line to {email}.\nReach me at {email}.\nOnline: {email}\nSend it to {email}.\nReply to {email}.",
        "address+city": "The address is {address}, {city}.\nLives at {address} in {city}.\nAddress: {address}, {city}.\nThe house is at {address} in {city}.\nNow at {address}, {city}.\nYou find the place at {address} in {city}.\nThe flat is {address}, {city}.\nLives in {address}, {city}.\nHome: {address}, {city}.\nVisit us at {address} in {city}.\nLetters go to {address}, {city}.\nThe new address is {address}, {city}.\nMoved to {address} in {city}.\nThe office is at {address}, {city}.",
        "city": "The home town is {city}.\nIs from {city}.\nComes from {city}.\nNow in {city}.\nResident of {city}.\nTown: {city}.\nStays in {city}.\nLives in {city}.\nHome is {city}.\nCity: {city}.\nBased in {city}.\nThe town is {city}.\nMoved to {city}.\nHas moved to {city}.\nGrew up in {city}.\nLocated in {city}.\nThe city is {city}.\nPlace: {city}.\nNow living in {city}.\nFound in {city}.",
        "company": "The company is {company}.\nHired by {company}.\nWorking for {company}.\nJob: {company}.\nFrom the firm {company}.\nThe boss of {company}.\nOffice at {company}.\nWorks at {company}.\nCompany: {company}.\nThe employer is {company}.\nHas a job at {company}.\nIs with {company}.\nEmployed by {company}.\nWorks for {company}.\nEmployer: {company}.\nFirm: {company}.\nManager at {company}.\nNow at {company}.\nNew at {company}.\nThe firm is called {company}.\nSells things for {company}.",
        "birthday": "Has a birthday, born {birthday}.\nCame into the world {birthday}.\nBirth: {birthday}.\nThe date of birth is {birthday}.\nBirth date {birthday}.\nSaw the light of day {birthday}.\nThe birthday is {birthday}.\nBorn {birthday}.\nDate of birth: {birthday}.\nWas born {birthday}.\nBirthday: {birthday}."}),
    "event": Kind("event", "Extract the event.\nTake the event out of the text.\nEvent as JSON.\nFill in the calendar entry.\nWhat is happening? Fill in the event.\nFind the event in this text.\nGive me the event.\nTurn this into an event.\nRead the event out of this.\nWhich event is in the text?\nMake an event of this.\nGet the event details.\nPlease extract the event details.\nSave this as an event.\nFill in the event.\nEvent please.",
                  {"title": (("title", "event", "what", "name"), "string"), "date": (("date", "day", "on"), "string"), "time": (("time", "start", "at", "begins"), "string"), "end": (("end", "end_time", "until"), "string"),
                   "place": (("place", "location", "where"), "string"), "host": (("host", "organizer", "with"), "string")}, ("title",), """
You are invited to the {title}.
There is a {title}.
Don't miss the {title}!
We are planning a {title}.
The {title} is coming up.
Please come to the {title}.
Reminder: {title}.
The next {title} has a date.
Join us for the {title}.
{title}!
The {title} will take place.
I'm looking forward to the {title}.
About the {title}:
News about the {title}.
Event: {title}.
What: {title}.
Title: {title}.
Save the date for the {title}!
Don't forget the {title}.
Welcome to the {title}.
See you at the {title}.
The {title} is nearly here.
We have the {title} again.
We hold a {title}.
We invite you to a {title}.
Here are the details of the {title}.
Do you come to the {title}?
Are you free for the {title}?
This is about the {title}.
There will be a {title}.
This year's {title} is special.
You asked about the {title}.
It is time for the {title}.
All welcome: {title}.""", {
        "date+time": "It is {date} at {time}.\nIt takes place {date} at {time}.\nWhen: {date}, {time}.\nWe meet {date} at {time}.\nIt starts {date} at {time}.\n{date} at {time} it begins.\nBe there {date} at {time}.\nDate: {date} at {time}.\nCome {date} at {time}.\nIt will be {date} at {time}.\nWe start {date} at {time}.\nSee you {date} at {time}.\nThe start is {date} at {time}.\nIt happens {date} at {time}.",
        "date": "It is {date}.\nIt happens {date}.\nWhen: {date}.\nWe meet {date}.\nThe day is {date}.\nIt takes place {date}.\nDate: {date}.\nThe date is {date}.\nCome {date}.\nIt will be {date}.\nSee you {date}.\nBe there {date}.\nKeep free: {date}.",
        "time+end": "It runs from {time} to {end}.\nOpen from {time} to {end}.\nBetween {time} and {end}.\nTime: {time} to {end}.\nIt begins at {time} and ends at {end}.\nIt goes from {time} to {end}.\nIt lasts from {time} until {end}.\nFrom {time} till {end}.\nStart at {time}, end at {end}.\nFrom {time} to {end}.\n{time} to {end}.\nHours: {time} to {end}.\nThe doors are open from {time} to {end}.\nStarts at {time} and goes on until {end}.\nIt starts at {time} and ends at {end}.\nIt is from {time} until {end}.",
        "time": "At {time} it begins.\nIt is at {time}.\nTime: {time}.\nBe there at {time}.\nWe start at {time}.\nThe beginning is at {time}.\nIt starts at {time}.\nBeginning at {time}.\nStart: {time}.\nThe doors open at {time}.\nCome at {time}.\nIt begins at {time}.\nStart time: {time}.\nThe start is at {time}.\nWe begin at {time}.\nWe meet at {time}.\nPlease come at {time}.\nDoors open at {time}.",
        "place": "It is at {place}.\nIt happens at {place}.\nVenue: {place}.\nCome over to {place}.\nThe location is {place}.\nFind us at {place}.\nAt {place}.\nWe meet at {place}.\nPlace: {place}.\nIt is held at {place}.\nThe place is {place}.\nWhere: {place}.\nCome to {place}.\nLocation: {place}.\nIt takes place at {place}.\nWe will be at {place}.\nThe venue is {place}.\nSee you at {place}.\nMeet us at {place}.\nGo to {place}.\nHeld at {place}.",
        "host": "{host} invites you.\nOrganised by {host}.\n{host} is in charge.\nContact {host}.\nThe host is {host}.\nWith best wishes, {host}.\n{host} asks you to come.\n{host} is the host.\n{host} is organising it.\nIt is hosted by {host}.\nHost: {host}.\nAsk {host} for details.\n{host} has invited us.\nOrganizer: {host}.\nInvited by {host}.\n{host} will be there for you.\nIt is given by {host}.\n{host} makes it happen.\nThe organiser is {host}.\nQuestions go to {host}.\n{host} looks forward to you."}),
    "shopping": Kind("shopping", "Extract the shopping list.\nWhat should be bought? Fill in the list.\nShopping list as JSON.\nTake the items out of the text.\nWhat do we need?\nList the things to buy.\nTurn this into a shopping list.\nRead the shopping list out of this.\nWhat is on the shopping list?\nMake a shopping list of this.\nGet the items.\nPlease extract the items.\nFill in the shopping list.\nWhich things should I buy?\nShopping list please.",
                     {"items": (("items", "things", "list"), "array"), "store": (("store", "shop", "where"), "string"), "budget": (("budget", "limit", "max_price"), "number"), "date": (("date", "day", "by"), "string")}, ("items",), """
We need {items}.
Please buy {items}.
Can you get {items}?
Shopping: {items}.
Don't forget {items}.
Get {items}.
I still need {items}.
Bring {items}, please.
For the cake I need {items}.
We have run out of {items}.
To buy: {items}.
{items} are missing.
The fridge needs {items}.
Buy {items}.
Could you bring {items}?
I want {items}.
We are out of {items}.
There is no {items} left.
List: {items}.
On the list: {items}.
Add {items} to the basket.
Pick up {items} on the way.
Please get me {items}.
Remember to buy {items}.
We have to buy {items}.
Things to buy: {items}.
What we lack is {items}.
Grandma asked for {items}.
The kids want {items}.
I would like {items}.
Take {items} with you.
You should get {items}.
Still open: {items}.""", {
        "store": "Try {store}.\nMaybe at {store}?\nI saw it at {store}.\nI always buy it at {store}.\nThe shop is called {store}.\nPlease go to {store} for that.\nFrom {store}.\nThe best place is {store}.\nGo to {store}.\nStore: {store}.\nThey have it at {store}.\nBest at {store}.\nIt is cheap at {store}.\nYou get it at {store}.\n{store} has everything.\nShop: {store}.\nBuy it at {store}.\nAt {store}.\nGet it from {store}.\nYou find it at {store}.\nAsk at {store}.\n{store} sells it.\nThe store is {store}.",
        "budget": "Up to {budget} euros.\nNo more than {budget} euros.\nI can pay {budget} euros.\nKeep it under {budget} euros.\nMaximum: {budget} euros.\nThe limit is {budget} euros.\nHere are {budget} euros for it.\nDon't spend more than {budget} euros.\nThe budget is {budget} euros.\nAt most {budget} euros.\nYou have {budget} euros.\nBudget: {budget} euros.\nIt must not cost more than {budget} euros.\nLimit: {budget} euros.\nAt most {budget} euros please.\nYou may spend {budget} euros.\nNot more than {budget} euros.\nTake {budget} euros with you.\nIt should cost less than {budget} euros.\nThere are {budget} euros for this.",
        "date": "Buy it {date}.\nWe need it {date}.\nBring it {date}.\nThe party is {date}.\nCan you go {date}?\nGo there {date}.\nGet it {date}.\nI need it {date}.\nPlease go {date}.\nIt should be here {date}.\nWhen: {date}.\nDo it {date}.\nShop {date}.\nWe need that {date}.\nPlease bring it {date}.\nI want to cook {date}.\nIt must be here {date}.\nThe guests come {date}.\nDeadline: {date}.\nThe shopping is {date}."}),
    "parcel": Kind("parcel", "Extract the parcel.\nParcel as JSON.\nTake the delivery out of the text.\nFill in the parcel.\nWhat is being delivered?\nFind the delivery details.\nTurn this into a delivery.\nRead the delivery out of this.\nWhich parcel is in the text?\nMake a delivery of this.\nGet the delivery details.\nPlease extract the parcel.\nSave this as a parcel.\nFill in the delivery.\nParcel please.",
                   {"number": (("number", "tracking_number", "tracking", "code"), "string"), "carrier": (("carrier", "company", "service"), "string"), "sender": (("sender", "from", "shop"), "string"),
                    "date": (("date", "delivery_date", "arrives"), "string"), "content": (("content", "contents", "item"), "string"), "price": (("price", "amount", "cost"), "number")}, ("number",), """
Your parcel {number} is on its way.
Parcel {number} was sent.
We have sent your order {number}.
Tracking number: {number}.
Shipment {number} has left us.
Your order with the number {number} is coming.
The number of your parcel is {number}.
Delivery {number}.
Good news: {number} is on the road.
Please note the tracking code {number}.
Package {number} is ready.
Parcel: {number}.
Order {number} was shipped.
Order number {number}.
Shipment number: {number}.
Your shipment {number} has been sent.
Your package {number} is coming.
Your delivery {number} is on the way.
Dear customer, {number} has left the house.
The tracking number is {number}.
The code {number} is for your parcel.
You can track {number} now.
We are bringing {number}.
It has the number {number}.
{number} is on its way to you.
{number} will be with you soon.
News of your parcel {number}.
Follow your parcel with {number}.""", {
        "carrier": "With {carrier}.\nThe carrier is {carrier}.\nIt is in the hands of {carrier}.\nSent with {carrier}.\nOur partner {carrier} has it.\nVia {carrier}.\nThe van of {carrier} has it.\nTransport: {carrier}.\n{carrier} brings it.\nIt comes with {carrier}.\nCarrier: {carrier}.\nShipped by {carrier}.\nDelivered by {carrier}.\n{carrier} will deliver it.\nIt travels with {carrier}.\nCourier: {carrier}.\nDelivery by {carrier}.\nHanded to {carrier}.\nWe sent it with {carrier}.\n{carrier} has your parcel.\n{carrier} is on the way to you.",
        "sender": "From {sender}.\nYour order at {sender}.\nThank you for shopping at {sender}.\nGreetings from {sender}.\nThe sender is {sender}.\n{sender} has packed it.\nOrdered at {sender}.\nIt is from {sender}.\nSender: {sender}.\nYour team at {sender}.\n{sender} says thank you.\nYou bought it at {sender}.\nSent by {sender}.\nYour {sender} team.\nFrom your friends at {sender}.\nShop: {sender}.\nIt was sent by {sender}.\nYou ordered from {sender}.\n{sender} sent it.\nThanks for your order at {sender}.",
        "date": "We deliver {date}.\nYou get it {date}.\nIt comes {date}.\nArrival {date}.\nPlanned delivery: {date}.\nPlease be at home {date}.\nIt should arrive {date}.\nIt arrives {date}.\nDelivery is {date}.\nExpected {date}.\nIt will be there {date}.\nThe courier comes {date}.\nDelivery {date}.\nArrives {date}.\nIt will come {date}.\nIt will arrive {date}.\nYou will get it {date}.\nDate of delivery: {date}.\nThe parcel comes {date}.",
        "content": "The box holds {content}.\nItem: {content}.\nThe parcel has {content} in it.\nPacked: {content}.\nYou bought {content}.\nIt is {content}.\nArticle: {content}.\nInside: {content}.\nIt contains {content}.\nContent: {content}.\nYou ordered {content}.\nIn it is {content}.\nContents: {content}.\nYou get {content}.\nThere is {content} in it.\nIt has {content} inside.\nWe packed {content}.\nProduct: {content}.\nYour order: {content}.",
        "price": "{price} euros were paid.\nPaid: {price} euros.\nPlease pay {price} euros.\nThat makes {price} euros.\nSum: {price} euros.\nThe bill is {price} euros.\nYou paid {price} euros.\nCost: {price} euros.\nIt costs {price} euros.\nThe price is {price} euros.\nWe charged {price} euros.\nTotal: {price} EUR.\nTo pay: {price} euros.\nPrice: {price} euros.\nThe total is {price} euros.\nIt cost {price} euros.\nAmount: {price} EUR."}),
    "ticket": Kind("ticket", "Extract the ticket.\nTicket as JSON.\nTake the ticket out of the text.\nFill in the ticket.\nFind the booking details.\nWhat was booked?\nTurn this into a ticket.\nRead the ticket out of this.\nWhich ticket is in the text?\nMake a ticket of this.\nGet the booking details.\nPlease extract the booking.\nSave this as a ticket.\nFill in the booking.\nTicket please.",
                   {"title": (("title", "event", "show", "name"), "string"), "from": (("from", "origin", "departure_city"), "string"), "to": (("to", "destination", "arrival_city"), "string"), "date": (("date", "day"), "string"),
                    "time": (("time", "departure", "starts"), "string"), "seat": (("seat", "seat_number"), "string"), "platform": (("platform", "gate", "track"), "integer"), "venue": (("venue", "place", "where"), "string"),
                    "price": (("price", "amount", "total"), "number"), "count": (("count", "tickets", "quantity"), "integer")}, (), """
Here is your ticket.
Thank you for booking.
Your booking is confirmed.
Ticket.
Booking confirmed!
We have your reservation.
Enjoy!
Have a good time.
Please keep this ticket.
This is your ticket.
Hello, here is the booking.
Your trip is booked.
Have a nice trip.
Your seats are booked.
E-ticket.
Please show this at the door.
We look forward to you.
The booking went through.
You are all set.
Print this or show it on your phone.""", {
        "from+to": "You go from {from} to {to}.\nTrain from {from} to {to}.\nBus {from} to {to}.\nDeparture {from}, arrival {to}.\nStart in {from}, end in {to}.\nLeaving {from} for {to}.\nOne way from {from} to {to}.\nThe train goes from {from} to {to}.\nFrom {from} to {to}.\n{from} to {to}.\nRoute: {from} - {to}.\nYou travel from {from} to {to}.\nFlight from {from} to {to}.\nTrip from {from} to {to}.\nTrip: {from} to {to}.\nFerry from {from} to {to}.\nIt goes from {from} to {to}.\nStart: {from}. End: {to}.\nFrom: {from}. To: {to}.\nReturn trip {from} to {to}.",
        "title+venue": "Come and see {title} at {venue}.\nAn evening with {title} at {venue}.\n{title} in {venue}.\nTicket for {title}, {venue}.\nEnjoy {title} at {venue}.\nVenue: {venue}. Show: {title}.\nWatch {title} at {venue}.\n{title} at {venue}.\nYou will see {title} at {venue}.\nShow: {title}, {venue}.\n{title} is played at {venue}.\nIt is {title} at {venue}.\nAdmission to {title} at {venue}.\nShow: {title}. Place: {venue}.\nEvent: {title} at {venue}.\nSee {title} at {venue}.\n{title}, {venue}.\nWe show {title} at {venue}.\nWelcome to {title} at {venue}.",
        "date+time": "It is {date} at {time}.\nDate: {date}, {time}.\nIt leaves {date} at {time}.\n{date} at {time}.\nIt starts {date} at {time}.\nBe there {date} at {time}.\nWhen: {date} at {time}.\nDeparture {date} at {time}.\nThe date is {date}, {time}.\nIt begins {date} at {time}.\nCome {date} at {time}.\nLeaving {date} at {time}.",
        "seat": "You have seat {seat}.\nSitting at {seat}.\nReserved seat: {seat}.\nThe seat is {seat}.\nYou are in {seat}.\nSeat no. {seat}.\nSeat {seat}.\nYour seat is {seat}.\nYou sit on {seat}.\nSeat number {seat}.\nPlace {seat} is yours.\nSeats: {seat}.\nPlease sit on {seat}.\nTake seat {seat}.\nThe place is {seat}.\nYour place: {seat}.",
        "platform": "From platform {platform}.\nTrack: platform {platform}.\nIt leaves from platform {platform}.\nThe platform is {platform}.\nWait on platform {platform}.\nFind it at platform {platform}.\nPlatform {platform}.\nIt is on platform {platform}.\nPlease go to platform {platform}.\nDeparture from platform {platform}.\nIt goes from platform {platform}.\nTrack {platform}.\nGo to platform {platform}.\nThe train stops at platform {platform}.\nYour platform: {platform}.",
        "price": "{price} euros were paid.\nPaid: {price} euros.\nPlease pay {price} euros.\nThat makes {price} euros.\nSum: {price} euros.\nThe bill is {price} euros.\nFor {price} euros.\nPrice: {price} euros.\nCost: {price} euros.\nIt costs {price} euros.\nThe price is {price} euros.\nWe charged {price} euros.\nTotal: {price} EUR.\nTo pay: {price} euros.\nYou paid {price} euros.\nTotal {price} euros.\nThe ticket costs {price} euros.\nAmount: {price} EUR.",
        "count": "For {count_said} people.\n{count_said} seats.\nYou ordered {count_said} tickets.\nValid for {count_said} people.\nThese are {count_said} tickets.\n{count_said} tickets.\nYou have {count_said} tickets.\nTickets: {count_said}.\nNumber of tickets: {count_said}.\n{count_said} people.\nPersons: {count_said}.\nFor {count_said} persons.\nYou booked {count_said} tickets.\nYou bought {count_said} seats.\nIt is for {count_said} people."}),
}
FILLED = {"a": 1}
NOISE = Lexicon("noise in texts", ["It was nice to see you.", "Best wishes.", "See you soon!", "The weather is lovely.", "Hope you are well.", "Thanks!", "Let me know.",
                                   "Sorry for the delay.", "Please reply soon.", "More details follow.", "Have a nice weekend.", "I nearly forgot.", "By the way, the cat is fine.",
                                   "This message was sent from a phone.", "It rained all day.", "I hope the train is on time.", "My bike is broken again.", "We had so much fun last time.", "Sorry, I was busy.",
                                   "The kids send their love.", "I will write more later.", "Do not reply to this mail.", "You know how it is.", "The dog ate my shoe.", "What a day!",
                                   "The coffee was good.", "It is getting cold outside.", "Nobody told me.", "The old phone is gone.", "Terms apply.", "All prices include tax.",
                                   "Please keep this mail.", "I have to run now.", "The garden looks great.", "That was a long week.", "You made my day.", "Questions? Just ask.", "Take care.", "That is all for now.", "It will be fun."])


def value_of(choose, now, kind, key):
    """What is said, and the value."""
    rng = choose.rng
    if key == "name":
        text = words.full_name(choose)
    elif key == "phone":
        text = phone_number(choose)
    elif key == "address":
        text = words.address(choose)
    elif key in ("city", "from", "to"):
        text = words.town(choose)
    elif key == "company":
        text = rng.choice((words.some(choose, SHOPS, 0.5, 2, True), words.made_up_name(choose) + rng.choice((" Ltd", " Inc", " GmbH", ""))))
    elif key == "birthday":
        date = times.datetime.date(1940, 1, 1) + times.datetime.timedelta(rng.randrange(27000))
        month = times.MONTHS[date.month - 1]
        return "on " + rng.choice((f"{date.day} {month} {date.year}", f"{month} {date.day}, {date.year}", f"{times.ordinal(date.day)} of {month} {date.year}")), str(date)
    elif key == "date":
        said, date = times.day(choose, now)
        return said.strip(), str(date)
    elif key in ("time", "end"):
        return times.time(choose)
    elif key == "title":
        text = words.some(choose, SHOWS, 0.5, 2, True) if kind == "ticket" else words.some(choose, words.OCCASIONS, 0.5, 3)
    elif key == "place":
        text = words.destination(choose) if choose.chance(0.4) else words.address(choose) if choose.chance(0.4) else words.some(choose, VENUES, 0.5, 2, True)
    elif key == "venue":
        text = words.some(choose, VENUES, 0.5, 2, True)
    elif key == "host":
        text = words.full_name(choose) if choose.chance(0.4) else words.first_name(choose)
    elif key == "items":
        said, values = fillers._items(choose, now)
        return said, values["items"]
    elif key in ("store", "sender"):
        text = words.some(choose, SHOPS, 0.5, 2, True)
    elif key in ("price", "budget"):
        value, said = price(choose)
        return said, value
    elif key == "number":
        text = code(choose)
    elif key == "carrier":
        text = words.some(choose, CARRIERS, 0.5, 2, True)
    elif key == "content":
        text = "a " + words.odd_text(choose, 1, 2) if choose.side == "train" and choose.chance(0.5) else choose.of(ITEMS)
    elif key == "seat":
        text = f"{rng.randint(1, 60)}{rng.choice('ABCDEF')}"
    elif key == "platform":
        n = rng.randint(1, 24)
        return str(n), n
    elif key == "count":
        n = rng.randint(2, 9)
        return times.number(choose, n, 0.6), n
    else:
        raise KeyError(key)
    return text, text


ANYTHING_ASKS = Lexicon("extraction anything: asks", ["Extract the {}.", "Take the {} out of the text.", "{} as JSON.", "Fill in the {}.", "Find the {} in this text.", "Give me the {}.", "Turn this into a {}.",
                                                      "What does it say about the {}?", "Read the {}.", "Get the data of the {}.", "Note the {} down.", "Describe the {}."])
ANYTHING_SAID = Lexicon("extraction anything: clauses", ["The {key} is {value}.", "{Key}: {value}.", "{Key} {value}.", "Its {key} is {value}.", "It has the {key} {value}.", "As {key} we have {value}.", "With {key} {value}.",
                                                         "For the {key} they said {value}.", "The {key} was {value}.", "{value} is the {key}.", "We chose {value} as the {key}.", "The {key} should be {value}.",
                                                         "It says {value} for the {key}.", "{Key} = {value}", "And the {key}? {value}."])
ANYTHING_KEYS = Lexicon("extraction anything: properties", """color size owner label brand model weight height width depth age speed level material shape code flavor author publisher language chapter score winner team coach species breed
                        habitat diet engine fuel seats doors year genre singer album length temperature humidity wind salary boss department floor room shelf box rank grade subject teacher ingredient
                        servings oven dose doctor symptom altitude country capital river mountain customer supplier quantity discount warranty condition""".split())


def anything(choose, now):
    """Facts about a thing that nobody has heard of, so that the properties of the schema are read."""
    rng = choose.rng
    thing = words.some(choose, words.ANY, 0.5, 1)
    keys = {}
    for _ in range(rng.randint(2, 6)):
        key = words.odd_word(choose).lower() if choose.chance(0.25) else choose.of(ANYTHING_KEYS)
        p = rng.random()
        if p < 0.25:
            n = rng.randint(1, 999)
            value, said = n, times.number(choose, n, 0.2)
        elif p < 0.35:
            said, value = times.day(choose, now)
            said, value = said.removeprefix("on "), str(value)
        else:
            value = said = words.odd_text(choose, 1, 3) if choose.chance(0.6) else words.full_name(choose)
        keys[key] = (said, value)
    # Some are said and not asked for, some the other way round.
    asked = [key for key in keys if choose.chance(0.85)] or list(keys)[:1]
    rng.shuffle(asked)
    said = [choose.of(ANYTHING_SAID).format(key=key, Key=key.capitalize(), value=keys[key][0]) for key in keys]
    if choose.chance(0.4):
        said.insert(rng.randint(0, len(said)), choose.of(NOISE))
    unsaid = [key for key in [words.odd_word(choose).lower(), choose.of(ANYTHING_KEYS)] if key not in keys and choose.chance(0.4)]
    schema, answer = {"type": "object", "properties": {}}, {}
    for key in asked + unsaid:
        is_number = key in keys and isinstance(keys[key][1], int)
        schema["properties"][key] = {"type": ("integer" if choose.chance(0.7) else "number") if is_number else "string"}
        if key in keys:
            answer[key] = keys[key][1]
    user = f"{choose.of(ANYTHING_ASKS).format(thing)}\nSchema: {json.dumps(schema)}\nText: {' '.join(said)}"
    return user, schema, answer


def make(choose, now):
    """Returns the message of the user, the schema and the answer."""
    rng = choose.rng
    if choose.chance(0.15):
        return anything(choose, now)
    kind = KINDS[rng.choice(list(KINDS))]
    keys = {}
    said, values = [], {}
    email_of = None
    def say(key):
        nonlocal email_of
        if key == "email":
            text = email(choose, values.get("name", words.first_name(choose)))
            value = text
        else:
            text, value = value_of(choose, now, kind.name, key)
        values[key] = value
        return text
    opening = choose.of(kind.openings)
    texts = {key: say(key) for key in kind.properties if "{" + key + "}" in opening}
    said.append(words.disturbed(choose, opening, 0.15, True).format(**texts))
    clauses = list(kind.clauses)
    rng.shuffle(clauses)
    least = 1 if kind.required else 2
    sentences = []
    for clause in clauses[:rng.randint(least, min(4, len(clauses)))]:
        parts = clause.split("+")
        if any(p in values for p in parts):
            continue
        texts = {p: say(p) for p in parts}
        if "count" in texts:
            texts["count_said"] = texts["count"]
        sentence = choose.of(kind.clauses[clause])
        if len(sentence.split()) > 3:  # of fewer words each is needed
            sentence = words.disturbed(choose, sentence, 0.15, True)
        sentence = sentence.format(**texts)
        sentences.append(sentence[0].upper() + sentence[1:] if not sentence.startswith(texts[parts[0]]) or parts[0] == "date" or parts[0] == "count" else sentence)
    said += sentences
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        noise = choose.of(NOISE)
        if choose.side == "train" and choose.chance(0.5):
            noise = words.odd_text(choose, 2, 7, 0.5).capitalize() + "."
        said.insert(rng.randint(0, len(said)), noise)
    if choose.chance(0.3):
        head = said.pop(0)
        rng.shuffle(said)
        said.insert(0 if choose.chance(0.7) else rng.randint(0, len(said)), head)
    # Some properties are not asked for, and some that are asked for are not said.
    properties = {}
    for key, (names, type_) in kind.properties.items():
        if key in kind.required or choose.chance(0.85 if key in values else 0.4):
            properties[key] = (rng.choice(names) if choose.chance(0.5) else names[0], type_)
    if not any(k in values for k in properties):
        return make(choose, now)
    if choose.chance(0.25):
        keys = list(properties)
        rng.shuffle(keys)
        properties = {k: properties[k] for k in keys}
    schema = {"type": "object", "properties": {}}
    answer = {}
    for key, (name, type_) in properties.items():
        schema["properties"][name] = {"type": "array", "items": {"type": "string"}} if type_ == "array" else {"type": type_}
        if key in values:
            answer[name] = values[key]
    required = [properties[k][0] for k in kind.required if k in properties]
    if required:
        schema["required"] = required
    ask = choose.of(kind.asks)
    schema_text, text = json.dumps(schema), " ".join(said)
    ask = words.disturbed(choose, ask, 0.3, True)
    user = f"{ask}\nSchema: {schema_text}\nText: {text}"
    return user, schema, answer
