"""The schemas that pydantic makes of every kind of field that it documents: each is taken, and the text fits it without the keywords
that a note says are not enforced. pydantic comes from PyPI, into a virtual environment below the build folder that is made once."""
import json
import subprocess

import harness
import pypi
import response_format
from response_format import left_out, without
from schema_test import judge

PACKAGES = ["pydantic>=2.8,<3", "email-validator>=2,<3"]

# Prints the JSON schema of a model with one field of each type, by the type's name.
PROGRAM = r'''
import collections, dataclasses, datetime, decimal, enum, fractions, ipaddress, json, pathlib, re, sys, typing, uuid
from typing import Annotated, Any, Literal, Optional, Union
import pydantic, typing_extensions
from pydantic import *

class Colour(str, enum.Enum): red = "red"; green = "green"
class Level(enum.IntEnum): low = 1; high = 2
class Mixed(enum.Enum): a = "a"; b = 2
class Point(typing.NamedTuple): x: int; y: int
class Movie(typing_extensions.TypedDict): name: str; year: typing_extensions.NotRequired[int]
class Cat(BaseModel): kind: Literal["cat"]; lives: int
class Dog(BaseModel): kind: Literal["dog"]; weight: float
class Node(BaseModel): value: int; next: Optional["Node"] = None
class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int
class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int
class Keyed(RootModel): root: dict[str, int]
@dataclasses.dataclass
class Data: a: int; b: str = "x"
T = typing.TypeVar("T")
class Page(BaseModel, typing.Generic[T]): items: list[T]; more: bool

TYPES = """
bool int float str bytes None Any object complex decimal.Decimal fractions.Fraction
datetime.date datetime.time datetime.datetime datetime.timedelta PastDate FutureDate AwareDatetime NaiveDatetime PastDatetime FutureDatetime
Literal['a','b'] Literal['a',1,None,True] Colour Level Mixed Optional[int] Union[int,str] Union[Cat,Dog] int|None|str
Annotated[Union[Cat,Dog],Field(discriminator='kind')]
list[int] list tuple[int,str] tuple[int,...] tuple set[int] set[Colour] frozenset[str] set[bool] collections.deque[int]
typing.Sequence[int] typing.Iterable[int] conlist(int,min_length=1,max_length=3) conset(int,min_length=1,max_length=3)
dict dict[str,int] dict[int,str] dict[Literal['x','y'],int] dict[Colour,int] dict[uuid.UUID,int] dict[datetime.date,int]
dict[Annotated[str,Field(pattern='^x')],int] dict[Annotated[str,Field(max_length=3)],int] dict[Union[Literal['a'],Colour],int]
typing.Mapping[str,float] collections.OrderedDict[str,int] typing.DefaultDict[str,int] typing.Counter[str]
Point Movie Data Node Strict Open Keyed Page[int] list[Cat]
conint(gt=0,le=10) conint(multiple_of=5) conint(multiple_of=4096) confloat(ge=0,lt=1) condecimal(max_digits=4,decimal_places=2)
constr(min_length=2,max_length=5) constr(pattern='^[a-z]+$') constr(pattern=r'^\p{L}+$') constr(strip_whitespace=True) conbytes(max_length=4)
PositiveInt NegativeInt NonNegativeInt NonPositiveInt PositiveFloat NegativeFloat NonNegativeFloat NonPositiveFloat FiniteFloat
StrictBool StrictInt StrictFloat StrictStr StrictBytes ByteSize
uuid.UUID UUID1 UUID3 UUID4 UUID5 pathlib.Path FilePath DirectoryPath NewPath SocketPath
ipaddress.IPv4Address ipaddress.IPv6Address ipaddress.IPv4Network ipaddress.IPv4Interface IPvAnyAddress IPvAnyNetwork IPvAnyInterface
AnyUrl AnyHttpUrl HttpUrl FileUrl FtpUrl WebsocketUrl PostgresDsn RedisDsn MongoDsn KafkaDsn EmailStr NameEmail
SecretStr SecretBytes Json Json[int] Json[list[int]] Base64Bytes Base64Str Base64UrlStr re.Pattern ImportString JsonValue
"""
schemas = {"pydantic": pydantic.VERSION}
unknown = []
for name in TYPES.split():
    try:
        schemas[name] = create_model("Model", a=(eval(name), ...)).model_json_schema()
    except Exception as error:  # what this version does not know, or makes no schema of
        unknown.append(f"{name}: {type(error).__name__}")
print(json.dumps({"schemas": schemas, "unknown": unknown}))
'''

# What a person would refuse too, and why.
REFUSED = {}


class Pydantic(response_format.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pypi.environment("pydantic-venv", PACKAGES)
        super().setUpClass()

    def test_every_type(self):
        done = subprocess.run([self.python, "-c", PROGRAM], capture_output=True, text=True, timeout=harness.LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        made = json.loads(done.stdout)
        version = made["schemas"].pop("pydantic")
        refused, loose, n_finished = {}, {}, 0
        for name, schema in made["schemas"].items():
            status, text, has_ended, notes = self.chat(schema)
            if status != 200:
                refused[name] = text
                continue
            with self.subTest(name, schema=json.dumps(schema), text=text):
                left = left_out(notes)
                if left:
                    loose[name] = left
                if has_ended:
                    n_finished += 1
                    judge(without(schema, left), text)
        n_types = len(made["schemas"])
        print(f"pydantic {version}: {n_types} types, {len(refused)} refused, {len(loose)} with a keyword left out, {n_finished} texts "
              f"finished; no schema: {made['unknown']}")
        print(f"left out: {loose}")
        self.assertEqual(refused, REFUSED)
        self.assertGreater(n_types, 100)
        self.assertGreater(n_finished, n_types // 2, "too few to prove anything")


if __name__ == "__main__":
    harness.main()
