"""Music."""
from .domain import Argument, domain

domain("music", "play_music play music_play play_song start_music player_play music listen", """
Play music.
Plays a song, an artist or a genre.
Start the music player.
Play something to listen to.
Starts playing music.
Listen to music.""",
       {"song": Argument(("song", "title", "track"), "string", ("Name of the song",)), "artist": Argument(("artist", "artist", "band", "by"), "string", ("Who plays it",)),
        "genre": Argument(("genre", "genre", "style"), "string", ("Kind of music",))}, (), """
play {song} by {artist}
play the song {song} by {artist}
play {song} from {artist}
put on {song} by {artist}
I want to hear {song} by {artist}
listen to {song} by {artist}
start {song} by {artist}
can you play {song} by {artist}
play the song {song}
put on the song {song}
I want to hear the song {song}
play the track {song}
start the song {song}
let me hear the song {song}
play something by {artist}
play songs by {artist}
play music by {artist}
put on something by {artist}
I want to hear something by {artist}
some music by {artist} please
play anything by {artist}
can you play something by {artist}
play some {genre}
put on some {genre}
I'm in the mood for {genre}
I want to listen to {genre}
I feel like {genre}
some {genre} please
let's hear some {genre}
start some {genre}
could you put on some {genre}
turn on some {genre}
(play|start|put on|hear) the (song|track|title) {song}
(play|start|put on) the (song|track) {song} by {artist}
play me {song} by {artist}
play me the song {song}
play us {song} by {artist}
play us the song {song} from {artist}
let me hear {song} by {artist}
let us hear {song} by {artist}
listen to the song {song}
listen to the track {song}
I'd like to hear {song} by {artist}
I'd like to hear the song {song}
I want {song} by {artist}
I want the song {song}
I want to listen to {song} by {artist}
I want to listen to the song {song}
I feel like hearing {song} by {artist}
could I hear {song} by {artist}
how about {song} by {artist}
how about the song {song}
next the song {song} by {artist}
turn on {song} by {artist}
turn on the song {song}
{song} by {artist} please
{song} by {artist}, play that
the song {song} please
the song {song} by {artist} please
the track {song} by {artist}
give me {song} by {artist}
give me the song {song}
(put on|start|hear) (songs|music|something) from {artist}
play me something by {artist}
play a song by {artist}
play a track by {artist}
play the band {artist}
play the music of {artist}
listen to something by {artist}
listen to music by {artist}
I want to listen to {artist}'s music
I'd like some songs by {artist}
I'd like to listen to something by {artist}
I feel like something by {artist}
I'm in the mood for something by {artist}
something by {artist} please
songs by {artist} please
let's listen to something by {artist}
give me something by {artist}
turn on something by {artist}
have you something by {artist}, play it
play me some {genre}
play us some {genre}
play a bit of {genre}
play a little {genre}
give me some {genre}
listen to some {genre}
let me hear some {genre}
let us have some {genre}
I want some {genre}
I'd like some {genre}
I'd like to hear some {genre}
I'd love some {genre}
I need some {genre}
how about some {genre}
time for some {genre}
fill the room with some {genre}
start with some {genre}
we want some {genre}""",
       {"song": ("What would you like to hear?", "some_genre", """
play music
play something
put on some music
I want to hear music
start the music
play a song
can you play some music
music please
turn on the music
let's have some music
play a track
play me something
play us some music
start some music
I'd like to hear music
I want some music
give me some music
let me hear a song
listen to music
a song please
play me a song""")})
ACTIONS = ("pause", "resume", "next", "previous", "stop")
domain("player", "music_control player_control media_control control_music playback", """
Control the music player.
Pauses, resumes or skips music.
Playback control.
Control what is playing.""",
       {"action": Argument(("action", "action", "command"), "string", ("What to do",), ACTIONS)}, ("action",), """
{pause} the music
{pause} the song
{pause} playback
please {pause} the music
can you {pause} the music
{skip}
(please|could you) {skip}
{pause} this song
{pause} the track
{pause} the player
{pause} the tune
{pause} what is playing
{pause} playing music
{pause} it, the music I mean
I want to {pause} the music
I'd like to {pause} the music
the music should {pause}
{skip} please
{skip} now
I want to hear it: {skip}""")
