"""The names a script can use: guarded attributes, items and writes, a few builtins, and the listed functions of some modules.

Runs inside the sandbox. An attribute can be read only if the table lists it for exactly that type. A refusal is remembered, so a
script that catches it is refused all the same.
"""

import operator
import string


class Denied(BaseException):
    """Something that no script may do."""


class Killed(BaseException):
    """A limit was passed: `code` says which."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Module:
    """A module as a script sees it: these names and no others."""

    def __init__(self, names):
        self.__dict__.update(names)


INSPECTED = frozenset({
    "tb_frame", "tb_next", "f_back", "f_builtins", "f_code", "f_generator", "f_globals", "f_locals", "f_trace", "co_code",
    "co_consts", "co_names", "gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "cr_await", "cr_origin",
    "ag_frame", "ag_code", "ag_await", "mro", "with_traceback", "obj", "func_globals", "func_code",
})  # fmt: skip
"""Attributes that lead into the interpreter. Reading one is not a mistake but an attempt, and ends the script."""

_TEXT = """capitalize casefold center count encode endswith expandtabs find index isalnum isalpha isascii isdecimal isdigit
isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip partition removeprefix
removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate
upper zfill"""
_DICT = "clear copy fromkeys get items keys pop popitem setdefault update values"
_DATE = "ctime day isocalendar isoformat isoweekday month replace timetuple toordinal weekday year max min"
_TIME = "hour microsecond minute second tzinfo utcoffset"

_BY_TYPE = {
    str: _TEXT + " maketrans",
    bytes: "count decode endswith find hex index join lower replace split startswith strip upper",
    int: "bit_count bit_length conjugate denominator imag numerator real is_integer",
    bool: "real imag",
    float: "as_integer_ratio conjugate hex imag is_integer real",
    complex: "conjugate imag real",
    list: "append clear copy count extend index insert pop remove reverse sort",
    tuple: "count index",
    dict: _DICT,
    set: """add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset
issuperset pop remove symmetric_difference union update""",
    frozenset: "copy difference intersection isdisjoint issubset issuperset symmetric_difference union",
    range: "count index start step stop",
    slice: "indices start step stop",
    type({}.keys()): "isdisjoint",
    type({}.items()): "isdisjoint",
}
_BY_MODULE = {
    "collections": {
        "Counter": _DICT + " elements most_common subtract total",
        "OrderedDict": _DICT + " move_to_end",
        "defaultdict": _DICT,
        "deque": """append appendleft clear copy count extend extendleft index insert maxlen pop popleft remove reverse
rotate""",
    },
    "datetime": {
        "date": _DATE + " fromisoformat fromordinal fromtimestamp today fromisocalendar",
        "datetime": f"""{_DATE} {_TIME} astimezone combine date fold fromisoformat fromordinal fromtimestamp now time timestamp
timetz today utcnow utcfromtimestamp fromisocalendar""",
        "time": _TIME + " fromisoformat isoformat replace max min",
        "timedelta": "days max microseconds min resolution seconds total_seconds",
        "timezone": "utc",
    },
    "re": {
        "Pattern": "findall finditer flags fullmatch groupindex groups match pattern search split sub subn",
        "Match": "end expand group groupdict groups lastgroup lastindex pos span start string",
    },
    "random": {
        "Random": """betavariate choice choices expovariate gammavariate gauss getrandbits lognormvariate normalvariate
randint random randrange sample seed shuffle triangular uniform""",
    },
    "statistics": {
        "NormalDist": "cdf from_samples inv_cdf mean median mode overlap pdf quantiles samples stdev variance zscore",
    },
    "decimal": {
        "Decimal": """as_tuple compare exp is_finite is_infinite is_nan is_signed is_zero ln log10 normalize quantize sqrt
to_integral_value""",
    },
    "fractions": {"Fraction": "as_integer_ratio denominator limit_denominator numerator"},
}
ATTRIBUTES = {kind: frozenset(names.split()) for kind, names in _BY_TYPE.items()}
"""type -> the attributes that a script may read of its instances, and of the type itself."""

MODULES = {
    "math": """acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1
fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10
log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt sumprod tan tanh tau trunc ulp""",
    "statistics": """NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean linear_regression mean
median median_grouped median_high median_low mode multimode pstdev pvariance quantiles stdev variance""",
    "datetime": "MAXYEAR MINYEAR UTC date datetime time timedelta timezone",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "itertools": """accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile
filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest""",
    "re": """A ASCII DOTALL I IGNORECASE M MULTILINE S U UNICODE VERBOSE X compile error escape findall finditer fullmatch match
search split sub subn""",
    "json": "dumps loads JSONDecodeError",
    "random": """Random betavariate choice choices expovariate gauss getrandbits normalvariate randint random randrange sample
seed shuffle triangular uniform""",
    "functools": "partial reduce",
    "operator": """add and_ contains eq floordiv ge gt itemgetter le lt mod mul ne neg not_ or_ pow sub truediv xor""",
    "decimal": "Decimal ROUND_DOWN ROUND_FLOOR ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP InvalidOperation",
    "fractions": "Fraction",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "string": "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits printable punctuation whitespace",
    "textwrap": "dedent fill indent shorten wrap",
    "unicodedata": "category combining decimal digit name normalize numeric",
    "typing": "Any Callable Dict Iterable Iterator List Mapping NamedTuple Optional Sequence Set Tuple TypeVar Union",
}
"""module -> its names that a script can use."""
MODULES = {module: frozenset(names.split()) for module, names in MODULES.items()}

BUILTINS = """abs all any ascii bin bool bytes callable chr classmethod complex dict divmod enumerate filter float frozenset hash
hex id int isinstance issubclass iter len list map max min next oct ord pow property range repr reversed round set
slice sorted staticmethod str sum tuple zip Ellipsis False None NotImplemented True ArithmeticError AssertionError
AttributeError EOFError Exception FloatingPointError ImportError IndexError KeyError LookupError MemoryError NameError
NotImplementedError OSError OverflowError RecursionError RuntimeError StopIteration TypeError UnicodeDecodeError
UnicodeEncodeError UnicodeError ValueError Warning ZeroDivisionError"""

_IMPORTED_BY_C = frozenset({"time", "_strptime", "_pylong"})
"""Modules that the C code of `datetime` and of long integers imports while a script's own code runs."""

_OPERATORS = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv, "Mod": operator.imod,
    "Pow": operator.ipow, "LShift": operator.ilshift, "RShift": operator.irshift, "BitOr": operator.ior,
    "BitXor": operator.ixor, "BitAnd": operator.iand, "FloorDiv": operator.ifloordiv, "MatMult": operator.imatmul,
}  # fmt: skip
_OPERATOR_NAMES = {
    "+=": "Add", "-=": "Sub", "*=": "Mult", "/=": "Div", "%=": "Mod", "**=": "Pow", "<<=": "LShift", ">>=": "RShift",
    "|=": "BitOr", "^=": "BitXor", "&=": "BitAnd", "//=": "FloorDiv", "@=": "MatMult",
}  # fmt: skip


class World:
    """The world of one script: `denied` is the first refusal; `write` takes what is printed; `seed` is that of `random`."""

    def __init__(self, write, seed):
        self.denied = None
        self.own = set()
        self._attributes = dict(ATTRIBUTES)
        self._writable = {dict, list}
        self._modules = {}
        self._write = write
        self._seed = seed
        self._formatter = _GuardedFormatter(self)

    def deny(self, message):
        """Refuse, and remember it."""
        self.denied = self.denied or message
        raise Denied(message)

    def names(self):
        """The globals that a script runs in."""
        import builtins

        script_builtins = {name: getattr(builtins, name) for name in BUILTINS.split()}
        script_builtins |= {
            "__build_class__": builtins.__build_class__,
            "__import__": self.import_module,
            "format": self._format,
            "getattr": self.builtin_getattr,
            "hasattr": self.builtin_hasattr,
            "print": self.print,
        }
        return {
            "__builtins__": script_builtins,
            "__name__": "script",
            "__metaclass__": self.make_class,
            "_getattr_": self.get_attribute,
            "_getitem_": operator.getitem,
            "_getiter_": iter,
            "_iter_unpack_sequence_": lambda values, spec, getiter: iter(values),
            "_unpack_sequence_": lambda value, spec, getiter: value,
            "_write_": self.writable,
            "_apply_": lambda function, *arguments, **keywords: function(*arguments, **keywords),
            "_inplacevar_": self.inplace_variable,
            "_inplace_item_": self.inplace_item,
            "_inplace_attribute_": self.inplace_attribute,
        }

    # --- attributes ---

    def get_attribute(self, value, name):
        """`value.name`, if the table has it or the class is the script's own."""
        if type(name) is not str:
            self.deny("the name of an attribute must be a plain text")
        if name.startswith("_") or name in INSPECTED or not name.isascii():
            self.deny(f"the attribute {name} is not open to scripts")
        kind = type(value)
        if kind is Module:
            if name in value.__dict__:
                return value.__dict__[name]
            self.deny(f"{name} of this module is not available in a script")
        is_class = isinstance(value, type)
        owner = value if is_class else kind
        if owner in self._attributes:
            return self._of_known(value, owner, name, is_class=is_class)
        if owner in self.own:
            return self._of_own(value, owner, name, is_class=is_class)
        if isinstance(value, Exception) and name == "args":
            return tuple(part if isinstance(part, (str, int, float)) else str(part) for part in value.args)
        raise AttributeError(f"{kind.__name__} has no attribute {name} for scripts")

    def _of_known(self, value, owner, name, *, is_class):
        if owner is str and name in ("format", "format_map") and not is_class:
            return self._format_of(value, name)
        if issubclass(owner, str) and name in ("format", "format_map"):
            self.deny("format is used on a text itself: '...'.format(value)")
        if name in ("strftime", "strptime") and owner.__module__ == "datetime":
            function = getattr(value, name)
            return lambda *arguments: function(*arguments)
        if name not in self._attributes[owner]:
            raise AttributeError(f"{owner.__name__} has no attribute {name} for scripts")
        return getattr(value, name)

    def _of_own(self, value, owner, name, *, is_class):
        if not is_class and name in getattr(value, "__dict__", ()):
            return value.__dict__[name]
        for base in owner.__mro__:
            if base in self.own and name in base.__dict__:
                return getattr(value, name)
        if issubclass(owner, tuple) and name in (*owner._fields, "count", "index"):
            return getattr(value, name)
        if issubclass(owner, Exception) and name == "args" and not is_class:
            return value.args
        raise AttributeError(f"{owner.__name__} has no attribute {name}")

    def builtin_getattr(self, value, name, *default):
        """`getattr` with the same guard."""
        try:
            return self.get_attribute(value, name)
        except AttributeError:
            if default:
                return default[0]
            raise

    def builtin_hasattr(self, value, name):
        """`hasattr` with the same guard."""
        try:
            self.get_attribute(value, name)
        except AttributeError:
            return False
        return True

    # --- texts ---

    def _format_of(self, text, name):
        if name == "format_map":
            return lambda mapping: self._formatter.vformat(text, (), mapping)
        return lambda *arguments, **keywords: self._formatter.vformat(text, arguments, keywords)

    def _format(self, value, spec=""):
        return format(value, spec)

    def print(self, *values, sep=" ", end="\n", file=None, flush=False):
        """Into the run's output."""
        if file is not None:
            self.deny("print writes to the run's output only")
        self._write((sep if sep is not None else " ").join(map(str, values)) + (end if end is not None else "\n"))

    # --- writing ---

    def writable(self, value):
        """An object whose items or attributes a script may set."""
        if type(value) in self._writable or type(value) in self.own or (isinstance(value, type) and value in self.own):
            return value
        kind = "a module" if type(value) is Module else f"a value of type {type(value).__name__}"
        if type(value) in (str, tuple, bytes, range, int, float, type(None), frozenset):
            raise TypeError(f"{kind} cannot be changed")
        return self.deny(f"{kind} cannot be changed by scripts")

    def inplace_variable(self, sign, value, operand):
        """`value += operand`."""
        return _OPERATORS[_OPERATOR_NAMES[sign]](value, operand)

    def inplace_item(self, value, key, name, operand):
        """`value[key] += operand`."""
        self.writable(value)[key] = _OPERATORS[name](value[key], operand)

    def inplace_attribute(self, value, key, name, operand):
        """`value.key += operand`."""
        setattr(self.writable(value), key, _OPERATORS[name](self.get_attribute(value, key), operand))

    def make_class(self, name, bases, body):
        """A class of the script's own; its bases are such classes, or exceptions."""
        for base in bases:
            if base not in self.own and not (isinstance(base, type) and issubclass(base, Exception)):
                self.deny("a class may be based on the script's own classes and on exceptions")
        new_class = type(name, bases, dict(body))
        self.own.add(new_class)
        return new_class

    # --- modules ---

    def import_module(self, name, globals=None, locals=None, fromlist=(), level=0):
        """The proxy of a module of the table."""
        if type(fromlist) is list and name in _IMPORTED_BY_C:  # no statement of a script passes a list
            return __import__(name, None, None, fromlist)
        if level or name not in MODULES:
            self.deny(f"the module {name} is not available in a script")
        if name not in self._modules:
            self._modules[name] = self._proxy(name)
        return self._modules[name]

    def _proxy(self, name):
        import importlib

        if name == "typing":
            return Module({member: _TypePlaceholder() for member in MODULES[name]})
        real = importlib.import_module(name)
        names = {member: getattr(real, member) for member in MODULES[name] if hasattr(real, member)}
        for kind, attributes in _BY_MODULE.get(name, {}).items():
            self._attributes[getattr(real, kind)] = frozenset(attributes.split())
        if name == "collections":
            self._writable |= {real.Counter, real.OrderedDict, real.defaultdict, real.deque}
            names["namedtuple"] = self._namedtuple
        if name == "itertools":
            self._attributes[real.chain] = frozenset({"from_iterable"})
        if name == "datetime":
            for kind in (real.date, real.datetime, real.time):
                self._attributes[kind] |= {"strftime", "strptime"}
            self._attributes[type(real.date.min.isocalendar())] = frozenset({"week", "weekday", "year"})
        if name == "random":
            generator = real.Random(self._seed)
            names |= {member: getattr(generator, member) for member in MODULES[name] - {"Random"}}
        return Module(names)

    def _namedtuple(self, name, fields, *, defaults=None, rename=False):
        from collections import namedtuple

        new_class = namedtuple(str(name), fields, defaults=defaults, rename=False)
        self.own.add(new_class)
        return new_class


class _TypePlaceholder:
    """Stands for every name of `typing`, which a script uses in annotations only."""

    def __getitem__(self, _):
        return self

    def __call__(self, *_, **__):
        return self


class _GuardedFormatter(string.Formatter):
    """`str.format` whose fields are read by the guards."""

    def __init__(self, world):
        self._world = world

    def get_field(self, field_name, args, kwargs):
        """`0.name[key]`, each step guarded."""
        from _string import formatter_field_name_split

        first, rest = formatter_field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, key in rest:
            value = self._world.get_attribute(value, key) if is_attribute else value[key]
        return value, first
