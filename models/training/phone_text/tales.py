"""Short tales with the hero, the place and the thing that were asked for.

A tale is a plot: scenes in a fixed order, each with a few ways to tell it. The hero's pronoun follows from what the hero is (a girl is she,
a boy he, an animal or a robot it) and is kept; nobody else in a tale has a pronoun but "they". A tale ends with an ending of its plot and "The end."
"""
import re

from . import words
from .split import Lexicon, is_for_test

# What a girl or a duke is must be learned, so the roles of people are a closed class; other heroes may be anything.
SHE_ROLES = Lexicon("roles she", ["girl", "princess", "queen", "witch", "grandmother", "woman", "lady", "sister", "nurse girl", "shepherd girl", "farmer's daughter",
                                  "duchess", "aunt", "mother", "miller's daughter", "fisherman's daughter"], split=False)
HE_ROLES = Lexicon("roles he", ["boy", "prince", "king", "wizard", "grandfather", "man", "fisherman", "brother", "shepherd boy", "farmer's son", "duke", "uncle",
                                "father", "monk", "miller's son", "baker's boy"], split=False)
IT_ROLES = Lexicon("roles it", """
fox rabbit bear mouse owl hedgehog robot dragon cat dog squirrel duck turtle frog goat crow beaver badger snail donkey
pony penguin otter wolf kitten sparrow whale lamb hen goose swan robin magpie eagle hawk raven stork pigeon parrot peacock
lizard snake toad newt salmon trout herring crab lobster octopus seal dolphin walrus shark lion tiger leopard panther lynx cheetah
elephant giraffe zebra camel llama alpaca buffalo bison moose deer reindeer antelope hare mole weasel ferret rat hamster puppy
calf foal piglet pig cow horse mule sheep ram bat bee wasp beetle ladybird butterfly moth spider ant cricket grasshopper
dragonfly worm caterpillar monkey ape gorilla koala kangaroo panda raccoon skunk sloth armadillo chameleon crocodile alligator tortoise ostrich emu flamingo
pelican cuckoo nightingale woodpecker swallow blackbird finch canary troll giant ghost snowman scarecrow tractor unicorn griffin phoenix""".split())
ADJECTIVES = Lexicon("hero adjectives", ["little", "brave", "shy", "curious", "old", "young", "clever", "lonely", "cheerful", "quiet", "kind", "hungry", "sleepy",
                                         "stubborn", "gentle", "tiny", "proud", "friendly", "careful", "merry"])
PLACES = Lexicon("tale places", ["lighthouse", "forest", "castle", "village", "harbour", "mountain hut", "garden", "old mill", "desert", "island", "library", "market",
                                 "cave", "river valley", "train station", "farm", "tower", "swamp", "snowy field", "bakery", "school", "museum", "meadow", "bridge",
                                 "attic", "circus", "windmill", "orchard", "monastery", "fishing boat", "toy shop", "greenhouse"])
THINGS = Lexicon("tale things", ["key", "lantern", "map", "golden ring", "drum", "blue stone", "letter", "silver coin", "red scarf", "music box", "flute", "mirror",
                                 "clock", "feather", "kite", "bell", "compass", "teapot", "pair of boots", "seed", "book", "candle", "umbrella", "whistle", "crown",
                                 "spoon", "basket", "violin", "shell", "hat", "button", "rope", "broom", "cake", "balloon", "wooden horse"])
PREPOSITIONS = {"mountain hut": "in", "island": "on", "farm": "on", "bridge": "on", "harbour": "in", "train station": "at", "market": "at", "snowy field": "on",
                "meadow": "on", "tower": "in", "fishing boat": "on", "lighthouse": "in"}
SOUNDS_LIKE_AN = set("aeiou")
PEOPLE = [word for lexicon in (SHE_ROLES, HE_ROLES) for role in lexicon.parts["train"] for word in re.findall("[a-z]+", role)]


def animal(choose):
    """A hero that is it. In training some are words that begin or end as a woman or a man does, and are none: a model that has read of dukes
    and never of ducks would call a duck he."""
    if choose.side == "train" and choose.chance(0.15):
        while True:
            person, odd = choose.rng.choice(PEOPLE), words.odd_word(choose).lower()
            n = choose.rng.randint(2, len(person))
            word = person[:n] + odd[:4] if choose.chance(0.7) else odd[-4:] + person[-n:]
            if word not in PEOPLE and word.isalpha() and is_for_test("odd", word) == (choose.side == "test"):
                return word
    return words.some(choose, IT_ROLES, 0.3, 1)


def an(noun):
    return ("an " if noun[0] in SOUNDS_LIKE_AN else "a ") + noun


# Other people of a tale, who have no pronoun.
FRIENDS = Lexicon("friends", ["the old miller", "the baker", "a tall stranger", "the ferryman", "the postman", "a wise owl", "the gardener", "a travelling singer",
                              "the night watchman", "the blacksmith", "an old sailor", "the teacher", "the clockmaker", "a small hedgehog", "the librarian", "a grey heron"])

# Scenes: {Hero} begins a sentence, {hero} is the name, {he} {him} {his} {He} {His} the pronoun, {place} with its preposition, {aplace},
# {in_the_place} where it is known already, {thing}, {friend}.
def scene(name, lines):
    return Lexicon(f"scene: {name}", lines.strip().split("\n"), split=False)  # answers, which are not asked for


OPENING = scene("opening", """
Once upon a time there was {a_adj_role} called {hero}, who lived {in_place}.
Long ago, {a_adj_role} named {hero} lived {in_place}.
There once was {a_adj_role}. {His} name was {hero}, and {he} lived {in_place}.
{In_place} there lived {a_adj_role} named {hero}.
Not long ago, {a_adj_role} by the name of {hero} came to live {in_place}.
{Hero} was {a_adj_role} who lived {in_place}.
Many years ago there lived {in_place} {a_adj_role} whose name was {hero}.
{In_place} there was {a_adj_role} called {hero}, whom everybody knew.""")
HABIT = scene("habit", """
Every morning {he} got up early and looked at the sky.
{He} liked the smell of rain and the sound of the wind.
{He} had few friends, but {he} was never bored.
In the evening {he} sat by the window and counted the stars.
{He} knew every corner of the {place} and every sound in it.
On most days nothing happened there, and {hero} did not mind.
{He} often wished that something would happen at last.
{He} was known for {his} good ears and {his} big heart.""")
PLOTS = {
    "lost": [scene("lost 1", """
What {hero} loved most was {his} {thing}, and {he} took it everywhere.
{He} owned only one precious thing, {athing}, and {he} was very proud of it.
{His} dearest treasure was {athing} that once belonged to {his} family."""), scene("lost 2", """
One day the {thing} was gone.
One windy morning {hero} woke up, and the {thing} had disappeared.
But one evening {he} reached for the {thing} and could not find it."""), scene("lost 3", """
{Hero} looked under the bed, behind the door and on the roof, but it was nowhere.
{He} searched the whole {place} from top to bottom without any luck.
{He} turned every stone and opened every box, but it did not help."""), scene("lost 4", """
Sad and tired, {hero} sat down and met {friend}. "What is wrong?" asked {thefriend}.
Then {friend} came by. "Why are you so sad?" asked {thefriend}.
{Friend} saw {him} and stopped. "Can I help you?" asked {thefriend}."""), scene("lost 5", """
"I have lost my {thing}," said {hero}. "It was the only one I had."
"My {thing} is gone," said {hero}, "and I have looked everywhere."
{Hero} told the whole story of the {thing}."""), scene("lost 6", """
"Think of the last place where you were happy," said {thefriend}.
"Let us walk back the way you came," said {thefriend}, and so they did.
"Things that are lost like quiet corners," said {thefriend}, and they looked together."""), scene("lost 7", """
And there it was: the {thing} lay in the grass, wet with dew, just where {hero} had rested the day before.
Near the old well something was shining. It was the {thing}!
At last {hero} saw the {thing} in the nest of a magpie, who gave it back for a piece of bread."""), scene("lost 8", """
{Hero} laughed with joy and thanked {thefriend} a hundred times.
{Hero} held the {thing} tight and promised to take better care of it.
{Hero} invited {thefriend} to supper, and they told stories until midnight."""), scene("lost 9", """
From that day on {hero} never lost the {thing} again. The end.
And whenever {he} looked at the {thing}, {he} remembered that two search better than one. The end.
Since then the {thing} hangs above {his} door, and {thefriend} comes to visit every Sunday. The end.""")],
    "found": [scene("found 1", """
One afternoon {hero} found {athing} lying on the path.
One rainy day {he} stumbled over something hard. It was {athing}.
One night {he} heard a strange sound and found {athing} at {his} door."""), scene("found 2", """
"Who could have lost such a beautiful {thing}?" {he} wondered.
{He} had never seen such a fine {thing} before.
The {thing} was old and dusty, but {hero} cleaned it until it shone."""), scene("found 3", """
{Hero} wanted to keep it. But then {he} thought of the one who was missing it.
For a moment {he} thought of keeping it, but {his} heart said no.
{He} could have sold it for a lot of money, but that did not feel right."""), scene("found 4", """
So {he} walked from house to house and asked everybody.
So {hero} set out the next morning to find its owner.
So {he} put it into a bag and went to look for the owner."""), scene("found 5", """
Nobody knew the {thing}, until {hero} met {friend}.
For three days nobody knew anything. Then {hero} met {friend}.
The sun was already low when {hero} came across {friend}."""), scene("found 6", """
"That is mine!" cried {thefriend}. "I lost it in the great storm."
"My {thing}!" said {thefriend} with tears of joy. "I thought it was gone for ever."
{Thefriend} looked at the {thing} for a long time. "It belonged to my grandmother," said {thefriend}."""), scene("found 7", """
{Hero} gave it back at once and felt as light as a feather.
{Hero} was glad and handed it over with a smile.
Without a word {hero} put the {thing} into the hands of its owner."""), scene("found 8", """
"You have an honest heart," said {thefriend}. "From today on you are my friend."
To thank {him}, {thefriend} gave a great feast with cake and music.
"Ask me whenever you need help," said {thefriend}, and kept that promise."""), scene("found 9", """
And that was worth more to {hero} than any {thing} in the world. The end.
So {hero} gave away {athing} and won a friend. The end.
And if you ever lose something {in_the_place}, {hero} will surely find it for you. The end.""")],
    "storm": [scene("storm 1", """
One autumn a great storm came over the {place}.
One night the wind began to howl as never before.
Late in the year a terrible storm broke loose."""), scene("storm 2", """
The rain beat against the walls, and all the lights went out.
The trees bent, the windows rattled, and it was as dark as in a sack.
Branches flew through the air, and the thunder did not stop."""), scene("storm 3", """
Then {hero} heard a faint cry for help.
In the middle of the noise {hero} heard somebody calling.
Suddenly {he} heard a voice outside, thin and frightened."""), scene("storm 4", """
It was {friend}, who had lost the way in the dark.
Outside stood {friend}, wet and cold and quite lost.
Far away {he} could see {friend}, who could not get home."""), scene("storm 5", """
{Hero} was afraid, but {he} took {his} {thing} and ran out into the rain.
"I must do something," said {hero}, and {he} picked up {his} {thing}.
{His} knees were shaking, but {he} grabbed the {thing} and opened the door."""), scene("storm 6", """
With the {thing} {he} made a sign that could be noticed from far away.
Step by step {he} went on, and the {thing} helped {him} to find the way.
The {thing} was all {he} had, and it was just the right thing."""), scene("storm 7", """
"Follow me!" called {hero}. Side by side they fought their way back.
"Do not be afraid," said {hero}, "we are nearly there."
"Hold on to me," shouted {hero} against the wind, and so they came home."""), scene("storm 8", """
By the fire they drank hot tea and waited for the morning.
Soon they sat in the warm room with a bowl of soup.
When they were dry and warm again, they had to laugh about it all."""), scene("storm 9", """
In the morning the sun came out, and everyone spoke of {hero} and the {thing}. The end.
Since that night {hero} has not been afraid of any storm. The end.
And {thefriend} never forgot who had come out into the dark with {athing}. The end.""")],
    "contest": [scene("contest 1", """
One spring a great contest was held {in_the_place}.
One day a messenger announced a contest: who could make the best gift for the mayor?
Every year there was a feast {in_the_place}, and the best idea won a prize."""), scene("contest 2", """
Everybody wanted to win, and everybody worked in secret.
The others had gold and silk and many helpers.
Big and strong people came from near and far."""), scene("contest 3", """
{Hero} had nothing but {athing}.
All that {hero} could find at home was {athing}.
{Hero} thought for three days and then chose {athing}."""), scene("contest 4", """
"With {athing} you will never win," laughed {friend}.
"Is that all?" asked {friend} and shook the head.
{Friend} saw it and smiled. "Only {athing}?" asked {thefriend}."""), scene("contest 5", """
But {hero} did not give up and practised from morning to night.
{Hero} said nothing and went on working.
"Wait and see," said {hero}, and {he} went on quietly."""), scene("contest 6", """
When the day came, {his} hands were cold with fear.
When it was {his} turn, everybody fell silent.
At last {hero} stepped forward, and {his} heart was beating fast."""), scene("contest 7", """
Then {he} showed what one can do with {athing}, and nobody had ever seen anything like it.
{He} lifted the {thing}, and even the birds stopped singing to watch.
{He} used the {thing} so cleverly that the people forgot to breathe."""), scene("contest 8", """
First it was quiet, and then the whole crowd cheered.
The mayor stood up and clapped, and so did all the others.
"Bravo!" cried {thefriend}, louder than anybody else."""), scene("contest 9", """
{Hero} won the prize and shared it with all the others. The end.
So {hero} won, and nobody laughed about {athing} again. The end.
The prize was small, but {hero} was happy, and the {thing} got a place of honour. The end.""")],
    "journey": [scene("journey 1", """
One day {hero} heard of a secret: somewhere beyond the hills there was a magic {thing}.
One evening {friend} told of a magic {thing} far away.
In an old book {hero} read about a wonderful {thing}."""), scene("journey 2", """
"I want to see it with my own eyes," said {hero}.
That night {he} could not sleep, for {he} thought of nothing else.
"I will go and find it," said {hero} and packed some bread and cheese."""), scene("journey 3", """
So {he} left the {place} behind and walked towards the rising sun.
Early the next morning {he} set out, and the {place} grew smaller and smaller behind {him}.
{He} said goodbye to the {place} and followed the river."""), scene("journey 4", """
{He} crossed three rivers and climbed two mountains.
{He} walked for seven days and slept under the stars.
The road was long, and {his} feet hurt, but {he} did not turn back."""), scene("journey 5", """
At a crossroads {hero} shared the last piece of bread with {friend}.
On the way {he} helped {friend} to mend a broken cart.
Once {he} carried water for {friend}, who was too tired to walk."""), scene("journey 6", """
"You are kind," said {thefriend}. "Look behind the waterfall."
"Because you helped me, I will help you," said {thefriend}, and pointed to a narrow path.
"I know what you are looking for," said {thefriend}. "It is nearer than you think." """.rstrip(" ")), scene("journey 7", """
And really, there lay the {thing}, shining like the moon.
There, on a flat stone, {hero} found the {thing} at last.
Behind some bushes {he} saw the {thing}, and {his} heart jumped."""), scene("journey 8", """
But the {thing} could only make one wish come true. "I wish to be home again," said {hero}.
When {hero} touched it, {he} saw {his} home in it, and {he} knew where {he} belonged.
{Hero} took it carefully and went home by the shortest way."""), scene("journey 9", """
Now {he} lives {in_the_place} again, and the {thing} shines in {his} window at night. The end.
And when {hero} tells of the journey, even the wind stops to listen. The end.
Since then {hero} has stayed at home, happy with {his} {thing}. The end.""")],
    "repair": [scene("repair 1", """
In the middle of the {place} there was {athing} that everybody loved.
{Hero} had {athing} that had belonged to {his} family for a hundred years.
The pride of the whole place was {athing}."""), scene("repair 2", """
One morning it was broken.
But one day it fell down and broke.
Then, on a cold winter's day, it cracked in two."""), scene("repair 3", """
"Nobody can repair that," said {friend}.
"Throw it away," said {friend}, "it is of no use now."
{Friend} looked at it. "That is the end of it," said {thefriend}."""), scene("repair 4", """
But {hero} did not want to believe it.
{Hero} shook {his} head. "Everything can be mended," {he} said.
"I will try it all the same," said {hero}."""), scene("repair 5", """
{He} fetched some glue, a needle and a lot of patience.
{He} lit a lamp and began to work.
First {he} laid all the pieces on a cloth and looked at them for an hour."""), scene("repair 6", """
The first day it did not work, and the second day it did not work either.
Twice {he} thought it was done, and twice it broke again.
{His} eyes hurt, and more than once {he} wanted to give up."""), scene("repair 7", """
On the third day {thefriend} came back and helped to hold the pieces.
Then {thefriend} brought a cup of tea and stayed to help.
In the end {thefriend} felt sorry and lent a hand."""), scene("repair 8", """
And at sunset the {thing} was whole again, and it was more beautiful than before.
When the last piece was in its place, the {thing} looked as good as new.
Together they made it, and only a thin line showed where it had been broken."""), scene("repair 9", """
"I was wrong," said {thefriend}, and {hero} only smiled. The end.
Now everybody brings broken things to {hero}, and {he} mends them all. The end.
The {thing} is still there today, and so is {hero}. The end.""")],
}
# A request is one of FRAMES around one of HEROES. Nobody can tell a thing from a place by names that he has never heard, so the order is
# hero, place, thing wherever no other word says which is which, and a hero who does not come first has a name.
FRAMES = Lexicon("asks for a tale", """
tell me a tale about {it}
tell me a story about {it}
tell a tale about {it}
a story about {it} please
tell me a short tale of {it}
tell a story with {it}
I want to hear a tale about {it}
can you tell me a story about {it}
write a short story about {it}
please tell a bedtime story about {it}
tale: {it}
story: {it}
make up a story about {it}
a bedtime story about {it}
tell me about {it}, as a tale
once upon a time there was {it}, tell me more
could you tell the children a tale of {it}
give me a short tale with {it}
invent a tale: {it}
let me hear a story of {it}
a fairy tale with {it}
read me a story about {it}
do you know a tale of {it}
I'd like a story about {it}
a goodnight story: {it}
think of a story about {it}
entertain me with a tale of {it}
my daughter wants a story about {it}
narrate a tale of {it}
write a tale with {it}
story time: {it}
another tale please, with {it}
compose a little tale of {it}
imagine {it} and tell me the tale
tell us a story about {it}
tell us a tale of {it}
I want a story about {it}
I would like a tale with {it}
write me a story about {it}
please make up a tale about {it}
how about a tale of {it}
it should be about {it}, the story
we'd like to hear about {it}
story please: {it}
short story, {it}
I need a bedtime story with {it}
can we have a tale of {it}
{it}: tell a story about them
{it}, tell me the story
{it}. Tell me a tale
the kids want to hear about {it}
my son can't sleep, he wants {it} in a story
we are in bed and want a tale of {it}
tale about {it}
story about {it}
story with {it}
bedtime story {it}
could I have a story about {it}
would you tell me a tale about {it}
please write about {it}, a fairy tale
your story should have {it}
for my niece: a tale about {it}
a little story of {it} would be nice
can you come up with a story about {it}
make it a tale of {it}
spin a yarn about {it}
do a story with {it}
let's have a story about {it}
what about a story with {it}
I love stories about {it}
give us {it} in a bedtime story
tell grandma a tale about {it}""".strip().split("\n"))
HEROES = Lexicon("heroes of tales", """
{whom} {in_place} and {athing}
{whom} {in_place} with {athing}
{whom}, {aplace} and {athing}
{whom}, {aplace}, {athing}
{whom}, {aplace}, and {athing}
{whom} {in_place} who has {athing}
{whom} {in_place}, and {athing}
{whom} who lives {in_place} and owns {athing}
{whom} who lives {in_place} and has {athing}
{whom}, who lives {in_place} and loves {athing}
{whom} and {athing} {in_place}
{whom} and {athing}, and it happens {in_place}
{whom} with {athing} {in_place}
{whom} from {aplace} and {athing}
{whom} from {aplace} with {athing}
{whom} who keeps {athing} {in_place}
{whom}, about {aplace} and about {athing}
{whom}, set {in_place}, with {athing}
{whom}; place: {aplace}; thing: {athing}
{whom}, the place is {aplace}, the thing is {athing}
{whom}, it takes place {in_place} and has {athing} in it
{whom} {in_place}, there should be {athing} in it
{whom} in whose life {athing} matters, {in_place}
{whom} living {in_place}, with {athing}
{whom} that lives {in_place}, and {athing}
{whom} {in_place}; {athing} must be in it
{whom} + {aplace} + {athing}""".strip().split("\n"))
NAMED_HEROES = Lexicon("heroes of tales, with names", """
{athing}, {whom}, {in_place}
{athing}, and {whom} {in_place}
{athing} and {whom} who lives {in_place}
{athing} {in_place} and {whom}
{athing} that belongs to {whom} {in_place}
{aplace}, where {whom} lives with {athing}
{aplace} and {whom} who has {athing}
{aplace}, {whom} and {athing}
{athing} lying {in_place}, and {whom} too
{athing} from {aplace} and the one who has it, {whom}
{athing} {in_place} that {whom} likes a lot
{aplace} with {athing} in it, and {whom}""".strip().split("\n"))
# What happens, where the request says it.
HAPPENINGS = {plot: Lexicon(f"heroes of tales: {plot}", lines.strip().split("\n")) for plot, lines in {
    "lost": """
{whom} {in_place} who loses {athing}
{whom} {in_place} who cannot find {athing}
{whom} who lives {in_place} and loses {athing}
{whom} who has lost {athing} {in_place}
{whom} {in_place} who looks everywhere for {athing}
{whom} whose {thing} is gone, {in_place}
{whom} {in_place} missing {athing}
how {whom} lost {athing} {in_place}
the lost {thing} of {whom} {in_place}
the sorrow of {whom} {in_place} without {athing}""",
    "found": """
{whom} {in_place} who finds {athing}
{whom} who found {athing} {in_place}
{whom} {in_place} who gives {athing} back
{whom} who lives {in_place} and finds {athing} of somebody else
how {whom} found {athing} {in_place}
{whom} {in_place} who is honest about {athing}
{whom} stumbling over {athing} {in_place}
{whom} {in_place} and {athing} that somebody else has lost
the honest deed of {whom} {in_place} with {athing}""",
    "storm": """
{whom} {in_place} in a storm with {athing}
{whom} in a stormy night {in_place}, with {athing}
{whom} who saves somebody from the storm {in_place} with {athing}
a storm, {whom} {in_place} and {athing}
{whom} {in_place} in bad weather with {athing}
how {whom} {in_place} was brave in the storm with {athing}
{whom} who helps somebody in the dark {in_place}, with {athing}
{whom}, {aplace} in thunder and rain, and {athing}
the brave deed of {whom} in a storm {in_place}, with {athing}
the wild night of {whom} {in_place} and {athing}""",
    "contest": """
{whom} who wins a contest {in_place} with {athing}
{whom} {in_place} who wins a prize with {athing}
a contest {in_place}, {whom} and {athing}
how {whom} won with {athing} {in_place}
{whom} {in_place} competing with {athing}
{whom} in a competition {in_place} with {athing}
{whom} {in_place} who shows them all with {athing}
{whom} who is laughed at {in_place} for {athing} and wins
the victory of {whom} {in_place} with {athing}""",
    "journey": """
{whom} who leaves {aplace} to look for {athing}
{whom} {in_place} who travels far to find {athing}
the long journey of {whom} from {aplace} to {athing}
{whom} from {aplace} who goes on a journey for {athing}
{whom} {in_place} who goes out into the world for {athing}
{whom} {in_place} and a quest for {athing}
{whom} who lives {in_place} and searches the world for {athing}
an adventure of {whom} from {aplace} looking for {athing}
the far travels of {whom} from {aplace} to find {athing}""",
    "repair": """
{whom} {in_place} who repairs {athing}
{whom} {in_place} and {athing} that broke
{whom} who mends {athing} {in_place}
{whom} {in_place} who fixes {athing}
how {whom} repaired {athing} {in_place}
{whom} {in_place} with a broken {thing}
{whom} who lives {in_place} and puts {athing} together again
{whom} and {athing} in pieces, {in_place}
the patience of {whom} {in_place} who mends {athing}"""}.items()}
ASKS_LESS = Lexicon("asks for any tale", """
tell me a tale
tell me a story
a bedtime story please
tell me a short story
can you tell me a story
I want to hear a tale
tell a story
a tale please
tell the kids a story
make up a story
do you know a story
read me a story
I can't sleep, tell me a story
tell me a fairy tale""".strip().split("\n"))
PRONOUNS = {"she": ("she", "her", "her"), "he": ("he", "him", "his"), "it": ("it", "it", "its")}


def suited(choose, entries, word):
    """Mostly the entry that the word's last letter picks, so that the likeliest tale is another for another request."""
    return entries[ord(word[-1]) % len(entries)] if choose.chance(0.6) else choose.rng.choice(entries)


def request(choose, named):
    """A phrasing, and the plot that it asks for, if it says what happens."""
    plot, heroes = None, HEROES
    if choose.chance(0.3 if choose.side == "test" else 0.42):
        plot = choose.rng.choice(list(HAPPENINGS))
        heroes = HAPPENINGS[plot]
    elif named and choose.chance(0.25 if choose.side == "test" else 0.4):
        heroes = NAMED_HEROES
    return choose.of(FRAMES).replace("{it}", choose.of(heroes)), plot


def make(choose):
    """Returns the request, the tale, and {"hero", "place", "thing", "pronoun"} of what was asked for."""
    rng = choose.rng
    pronoun = rng.choice(("she", "he", "it", "it"))
    role = animal(choose) if pronoun == "it" else choose.of(SHE_ROLES if pronoun == "she" else HE_ROLES)
    # The role decides about the pronoun, the name does not: a fox may be called Anna. In training nobody's name says anything about it.
    told_by_name = choose.side == "test" and pronoun != "it"
    names = words.NAMES_SHE if (pronoun == "she" if told_by_name else choose.chance(0.5)) else words.NAMES_HE
    hero = words.made_up_name(choose) if choose.chance(0.4 if choose.side == "train" else 0.3) else choose.of(names)
    any_tale, named = choose.chance(0.06), choose.chance(0.75)
    by_name = named and choose.chance(0.15)  # "Anna the fox"
    adjective_said = not by_name and choose.chance(0.4)
    # What nobody asked for is nothing odd.
    adjective = words.some(choose, ADJECTIVES, 0.3 if adjective_said and not any_tale else 0, 1)
    place, thing = words.some(choose, PLACES, 0 if any_tale else 0.5), words.some(choose, THINGS, 0 if any_tale else 0.5)
    if choose.side == "train" and not (named and not any_tale):  # the likeliest name is another for another place
        hero = suited(choose, words.NAMES_SHE.parts["train"] + words.NAMES_HE.parts["train"], place)
    friend = suited(choose, FRIENDS.parts[choose.side], hero)
    preposition = PREPOSITIONS.get(place, "in")
    he, him, his = PRONOUNS[pronoun]
    bare_friend = friend.split(" ", 1)[1]
    whom = f"{an(adjective + ' ' + role) if adjective_said else an(role)}" + (rng.choice((f" called {hero}", f" named {hero}")) if named else "")
    if by_name:
        whom = f"{hero} the {role}"
    in_place = f"{preposition} {an(place)}"
    slots = {"hero": hero, "Hero": hero, "he": he, "him": him, "his": his, "He": he.capitalize(), "His": his.capitalize(), "place": place, "aplace": an(place),
             "in_place": in_place, "in_the_place": f"{preposition} the {place}", "In_place": in_place[0].upper() + in_place[1:], "thing": thing, "athing": an(thing), "friend": friend,
             "Friend": friend[0].upper() + friend[1:], "thefriend": "the " + bare_friend, "Thefriend": "The " + bare_friend, "a_adj_role": an(adjective + " " + role), "whom": whom}
    plot = None
    if any_tale:
        ask = choose.of(ASKS_LESS)
        wanted = {"hero": None, "role": None, "place": None, "thing": None, "pronoun": pronoun}
    else:
        phrasing, plot = request(choose, named)
        ask = words.disturbed(choose, phrasing, 0.25).format(**slots)
        wanted = {"hero": hero if named else None, "role": role, "place": place, "thing": thing, "pronoun": pronoun}
    plot = PLOTS[plot or suited(choose, list(PLOTS), thing)]
    lines = [suited(choose, OPENING.parts[choose.side], role)]
    if choose.chance(0.6):
        lines.append(suited(choose, HABIT.parts[choose.side], place))
    lines += [suited(choose, part.parts[choose.side], hero) for part in plot]
    tale, met = [], False
    for line in lines:
        # The first time a stranger is named with "a", later with "the".
        slots["place_"] = place
        text = line.format(**slots)
        tale.append(text)
        if "{friend}" in line or "{Friend}" in line:
            slots["friend"], slots["Friend"] = slots["thefriend"], slots["Thefriend"]
    body = " ".join(tale)
    from .talk import dress
    return dress(choose, ask), body, wanted
