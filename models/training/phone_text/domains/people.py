"""Messages and calls."""
from .domain import Argument, PERSON, domain

domain("message", "send_message message text send_text send_sms sms write_message message_send tell message_contact send_chat", """
Send a message to a contact.
Sends a text message.
Write a message to somebody.
Text a person.
Send an SMS.
Tell somebody something by message.
Sends a chat message to a contact.
Send text to a person.""",
       {"to": Argument(PERSON, "string", ("Who gets it", "The contact", "Name of the person")),
        "text": Argument(("text", "message", "body", "content"), "string", ("What to say", "The message"))}, ("to", "text"), """
tell {person} {message}
tell {person} that {message}
text {person} {message}
text {person} that {message}
text {person} saying {message}
text {person}: {message}
message {person}: {message}
message {person} that {message}
message {person} saying {message}
send {person} a message: {message}
send {person} a message that {message}
send {person} a message saying {message}
send a message to {person}: {message}
send a message to {person} saying {message}
send a text to {person}: {message}
send a text to {person} that {message}
send "{message}" to {person}
write {person}: {message}
write to {person}: {message}
write to {person} that {message}
write {person} a message that says {message}
let {person} know {message}
let {person} know that {message}
say to {person}: {message}
I want to tell {person} {message}
I want to tell {person} that {message}
can you tell {person} {message}
can you text {person} that {message}
could you let {person} know that {message}
please tell {person} {message}
please message {person}: {message}
new message to {person}: {message}
sms to {person}: {message}
drop {person} a line: {message}
inform {person} that {message}
{person} should know that {message}, send a message
tell {person} the following: {message}
tell {person} this: {message}
(text|message|write|write to) {person} the following: {message}
write {person} that {message}
write {person} a message: {message}
write a message to {person}: {message}
write a message to {person} that says {message}
write a text to {person} saying {message}
send {person} the message {message}
send {person} a text: {message}
send {person} a text saying {message}
send {person} an sms: {message}
send {person} this: {message}
send this to {person}: {message}
send a note to {person}: {message}
send word to {person} that {message}
send an sms to {person} that says {message}
message to {person}: {message}
text to {person}: {message}
text message for {person}: {message}
for {person}: {message}, send that as a message
(give|pass) {person} the message that {message}
pass on to {person} that {message}
report to {person} that {message}
let {person} hear that {message}
answer {person}: {message}
reply to {person}: {message}
reply to {person} that {message}
respond to {person} with {message}
drop {person} a message saying {message}
drop {person} a text that {message}
shoot {person} a message: {message}
inform {person}: {message}
notify {person} that {message}
remind {person} by message that {message}
say {message} to {person} in a message
I have to tell {person} that {message}
I need to let {person} know that {message}
I need to text {person} that {message}
I should write {person} that {message}
{person} needs to know that {message}, text that
{person} must hear this: {message}, send it
compose a message to {person}: {message}
start a message to {person} with {message}
text "{message}" to {person}
tell {person} "{message}"
write "{message}" to {person}
ask {person} by message: {message}
message {person} and say {message}
text {person} and say that {message}""",
       {"text": ("What should the message say?", "message", """
send a message to {person}
send {person} a message
text {person}
message {person}
write to {person}
I want to write to {person}
can you text {person}
send a text to {person}
please write {person} a message
new message to {person}
send an sms to {person}
drop {person} a line
I need to write to {person}
I want to send {person} a message
send {person} a text
write {person}
write a message to {person}
compose a message to {person}
a message to {person} please
message to {person}
start a message to {person}
I'd like to text {person}
tell {person} something
reply to {person}"""),
        "to": ("Who should get the message?", "person", """
send a message saying {message}
send a message: {message}
text somebody that {message}
write a message: {message}
send "{message}"
new message: {message}
send a text that says {message}
message: {message}
sms: {message}
send this message: {message}
write a text saying {message}
text this: {message}
I want to send the message {message}
write somebody that {message}
send a message that {message}
please text "{message}"
compose a message: {message}""")})
domain("call", "call make_call phone dial call_contact phone_call start_call place_call ring_contact", """
Call a contact.
Makes a phone call.
Phone somebody.
Dial a person's number.
Start a phone call.
Places a call to a contact.
Ring a person.""",
       {"to": Argument(PERSON, "string", ("Who to call", "The contact"))}, ("to",), """
call {person}
phone {person}
ring {person}
dial {person}
give {person} a (call|ring)
make a call to {person}
start a call with {person}
place a call to {person}
get {person} on the (line|phone)
I need to (speak|talk) to {person}
I want to call {person}
I'd like to talk to {person} on the phone
can you call {person}
could you ring {person}
please call {person}
please phone {person}
call {person} (now|please|for me)
put me through to {person}
connect me (with|to) {person}
let me (talk|speak) to {person}
phone call to {person}
dial the number of {person}
try {person} on the phone
ring up {person}
(start|make|place) a phone call to {person}
(start|make) a call with {person}
phone up {person}
call up {person}
call {person} on the phone
dial {person} for me
dial up {person}
get me {person}
get me {person} on the phone
get hold of {person} by phone
get through to {person}
get a call going with {person}
reach {person} by phone
try to reach {person}
try calling {person}
try {person} again
ring {person} up
ring {person} for me
ring {person}, please
phone {person} for me
make the phone ring at {person}
I must speak with {person}
I must call {person}
I have to call {person}
I have to phone {person}
I have to talk to {person} on the phone
I need {person} on the phone
I want to speak to {person}
I want to speak with {person} by phone
I'd like to call {person}
I'd like to speak with {person}
I would like to phone {person}
let's call {person}
let us ring {person}
call to {person}
a call to {person} please
patch me through to {person}
link me to {person} by phone
hook me up with {person} on the phone
open a call to {person}
use the phone to call {person}
give {person} a quick call
give {person} a ring, please
phone {person} now
time to call {person}""",
       {"to": ("Who should I call?", "person", """
make a call
call somebody
make a phone call
I need to call somebody
I want to phone someone
start a call
dial
can you make a call
place a call
I want to make a call
please call someone for me
phone somebody
ring somebody
dial a number
I need to make a call
I have to phone someone
I'd like to call somebody
start a phone call
let me call someone
get someone on the phone
make the call
open the dialer""")})
