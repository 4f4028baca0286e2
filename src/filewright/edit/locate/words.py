"""Whether one word is a slip of the pen for another: only where it is no word itself.

The list is of English words, American and British, from SCOWL (see ``words.LICENSE`` beside it), and
of the words programmers use. It says what is a word; that a word is missing from it never lets an
edit land by itself.
"""

from __future__ import annotations

import builtins
import keyword
import re
import string
import sys
import zlib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

from filewright.edit.locate.source import FileText


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE_WORDS = _words(
    """
    scrapy abi alloc alloca amd amqp ansi api apis app apps apt arg argc args argv arm arr ascii asm async atoi
    attr attrs auth authn authz autosave await awk aws axios babel backend backends backtick backticks
    base64 bash bashrc basename benchmark binlog bios bitmask bitwise blob blobs bool boolean booleans
    bootstrap bson btn buf bufsize bugfix builtin builtins bytecode callback callbacks cargo cdn cert
    certs cgi changelog
    char charset chars chmod chown chroot clang classname cli cmake cmd cmds codebase codec codecs
    colspan combobox concat config configs const consts constexpr cors cpu cpus crlf cron crontab crud
    crypto css csv ctor ctrl ctx curl cursor cwd daemon dataset datasets datatype datetime dbus dealloc
    debian debug deno deps deref desc deserialize dest dev devs devops dict dicts dirname dirs distro
    django dlopen dns docker dockerfile docstring docstrings dom dtype dtor ecma elif elseif emacs endif
    endian endpoint endpoints enum enums env envs eof epoch errno eslint etag etcd eval exe exec execve
    facade fallthrough favicon fcntl feof fetch ffi ffmpeg fifo filename filenames filepath filepaths
    filesystem filesystems finalizer firefox flac flatbuffers flex fmt fopen foreach fork formatter
    fprintf frontend fsync ftp ftps func funcs gcc gdb getter getters gid gif gif gigabyte git github
    gitignore gitlab glob globs gmail gnome gnu golang gpu gpus grep gui guid gzip hadoop hash hashmap
    hardcode hardcoded haskell hdfs heredoc heroku hex hostname hostnames hotfix href html htmls http
    https ident idx idempotent ieee iface iframe iife img imap impl impls incr index infra init inits
    inline inlined inode inodes inout int interop ints ioctl ios iostream ipc iphone ipv isdigit iter
    iterable iterables iterator iterators itoa java javascript jenkins jinja jpeg jpg jquery json jsonl
    jsx julia junit jupyter jvm jwt kafka keras kernel keydown keyup kibana kotlin kubectl kubernetes
    kwarg kwargs lambda lambdas latex ldap len lexer lib libc libs lifo linker lint linter linters linux
    lldb llvm localhost localtime logfile login logins logout lookup lookups lpad lstat ltrim lua luac
    macos macro makefile malloc calloc realloc mapreduce markdown matplotlib mcp memcpy memmove memset
    memcmp metadata middleware mime mkdir mkfs mmap mongo mongodb mpeg msg msgs msvc mtime ctime atime
    munmap mutex mutexes mysql namespace namespaces nan netcat nginx ngrok nix nodejs nohup nonce npm
    npx null nullable nullptr num numpy nums nvim oauth obj objs odbc onclick oop opcode opcodes openssl
    oracle orm ostream param parametrize params parens parser parsers passwd patch pathname pdf perl
    perms pid pids pipenv pixel pixels plaintext playwright plugin plugins png podman poll popen popup
    posix postgres postgresql posts pragma prefetch prefix prefixes prev printf proc procs prod profiler
    prometheus promise proto protobuf protocols proxy pthread ptr ptrs pubsub pull py pyc pypi pyplot
    pytest python pytorch queue queues qux rabbitmq rails ram rand readme readonly realpath rebase recv
    redis redux refactor refactored refactoring refcount regex regexes regexp regexps regs renderer repl
    repo repos req reqs res resp rest resize retval rfc rgb rgba rhs lhs rmdir rollback roundtrip rpad
    rpc rpm rsync rtrim ruby runtime runtimes rust rustc rustup safari sandbox scala scipy scp sdk sed
    seek select selenium semver serde serializer serverless setter setters setuid sha shader shell
    sigint sigkill sigterm sizeof sklearn smtp snprintf socket sockets solaris spec specs spawn sprintf
    sql sqlite sqrt src srcs sscanf ssd ssh ssl stat stderr stdin stdio stdlib stdout stdouts str strcat
    strcmp strcpy strdup stringify strlen strncat strncmp strncpy strstr strtok struct structs stub
    stubs stylesheet subclass subdir subdirs submodule subnet subnets subprocess subset substr substring
    substrings subtree sudo superset svelte svg svn swift symlink symlinks sync syncs syscall syscalls
    syslog sys sysctl systemd tar tcp telnet tempdir tempfile tensorflow terraform textarea tgz thunk
    timedelta timeout timeouts timestamp timestamps timezone tls tmp todo todos tokenize tokenizer toml
    tooltip toolchain traceback tsv tsx ttl tuple tuples txt typedef typeof typescript ubuntu udp uid
    uids uint ulimit umask unary unicode unittest unittests unix unlink unset unsetenv upload upsert
    uptime uri uris url urls user username usernames usr utc utf util utils uuid uuids valgrind val vals
    var vars vec venv vim virtualenv vite vlan vm vms vpn vscode vue wasm webhook webhooks webpack
    websocket websockets wget whitelist blacklist whitespace widget widgets wifi wikipedia windows wsgi
    vitest wsl xcode xhr xml xpath xss yaml yarn yml zip zlib zsh
    """
)
_MONTHS_AND_DAYS = _words(
    """
    jan feb mar apr may jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    """
)

_LETTERS = string.ascii_lowercase.encode()
#: How far around a place of the list a word is looked for: it is there with a capital too.
_NEAR = 256
#: Words that only join others.
_JOINING = _words("the a an and or of to in on at by for with from into as is it its that this then than")
#: Common words that are people's names too.
_NAMES = _words(
    """
    amber archer baker barber basil bishop black booker bowman brook brooks brown butler carpenter carter
    carver chandler christian church clerk clever coleman conrad cooper craft crane crystal daisy dallas
    darling deacon draper duncan eagle earnest english ernest faith farmer faulkner fisher fletcher flora
    forest forester foster fowler frank frankish gardener gilbert glass glazier goldsmith grace grant gray
    green grover harper hazel heath heather holly homer house hudson hunter jasmine jasper joyce judge
    justice justin king knight laurel leonard lester lewis lilac louis mason march marsh marshal marshall
    martin mason mercer merry miles miller moore moses myrtle nelson noble norman olive oliver opal
    painter palmer parker patience patrick pearl penny piper poppy porter potter prince prudence rankin
    reeve river robin roger roland rowan russell sailor sawyer shepherd sherry singer skipper smith spencer
    steward stone stuart summer sunny tailor tanner taylor temple thatcher turner tyler usher victor
    violet walker waller ward warren weaver webster wheeler white willow winter wright young
    """
)


@cache
def _list() -> bytes:
    packed = files("filewright.edit.locate").joinpath("words.txt.gz").read_bytes()
    return b"\n" + zlib.decompress(packed, wbits=31)


@cache
def _python_words() -> frozenset[str]:
    return frozenset(map(str.lower, (*keyword.kwlist, *dir(builtins), *sys.stdlib_module_names)))


@lru_cache(maxsize=4096)
def is_english(word: str) -> bool:
    """Whether the lower-case `word` is a common word of English; names are not."""
    if not word.isascii():
        return False
    words, key = _list(), word.lower().encode()
    low, high = 0, len(words) - 1
    while low < high:  # the list is in order but for capitals: halve it, a line at a time
        middle = words.rfind(b"\n", 0, (low + high) // 2 + 1)
        end = words.find(b"\n", middle + 1)
        if middle >= low and words[middle + 1 : end].lower() < key:
            low = end
        elif (low + high) // 2 < high and middle > low:
            high = middle
        else:
            break
    return b"\n" + word.encode() + b"\n" in words[max(0, low - _NEAR) : high + _NEAR]


def is_word(word: str) -> bool:
    """Whether `word` means something by itself, in English or to programmers."""
    lower = word.lower()
    known = lower in _CODE_WORDS or lower in _MONTHS_AND_DAYS or lower in _python_words()
    return known or is_english(lower) or is_english(word.capitalize())


def names_time(words: Iterable[str]) -> bool:
    """Whether one of the words is a month or a day, in short or in full."""
    return any(word.lower() in _MONTHS_AND_DAYS for word in words)


def is_slip(asked: str, found: str) -> bool:
    """Whether one of two words one step apart can only be the other misspelled: it is no word at all.

    Either may be the misspelled one: people quote a misspelled file in right spelling too. Capitals may
    begin common words of five letters or more; others are names, and stay.
    """
    low, there = asked.lower(), found.lower()
    if asked != low or found != there:
        alike = (asked.isupper() and found.isupper()) or (
            asked == low.capitalize() and found == there.capitalize()
        )
        if not alike or max(len(low), len(there)) < 5 or not _NAMES.isdisjoint((low, there)):
            return False
    return one_step(low, there) and (_is_misspelled(low, there) or _is_misspelled(there, low, strict=True))


def _is_misspelled(wrong: str, right: str, *, strict: bool = False) -> bool:
    """Whether `wrong` is no word, and nothing but `right`, a word.

    Two neighbours swapped or one letter doubled make no other name of a name. Of a common word one letter
    may also be wrong, missing or too much, but not the first, and not an ending.
    """
    known = is_english(right)
    if right in _CODE_WORDS and not strict:
        known = known or (len(right) > 4 and wrong[-1] == right[-1])
    if is_word(wrong) or (strict and not known):
        return False
    if is_mistyped(wrong, right):
        return True
    longer, shorter = (wrong, right) if len(wrong) >= len(right) else (right, wrong)
    ending = len(longer) > len(shorter) and longer.startswith(shorter)
    usual = known and wrong[0] == right[0] and len(shorter) > 3
    return usual and not (ending and (strict or longer[-1] in "sdrnyx"))


def is_mistyped(wrong: str, right: str) -> bool:
    """Whether two neighbours are swapped, or a letter is doubled."""
    if sorted(wrong) == sorted(right):
        return len(right) > 3 or is_english(right)
    once = [re.sub(r"(.)\1+", r"\1", word) for word in (wrong, right)]
    return min(len(wrong), len(right)) > 3 and once[0] == once[1]


def is_only_neighbour(source: FileText, asked: str, found: str) -> bool:
    """Whether `found` is the one word of the file that `asked` is a step from, and `asked` is not in it.

    Words that only join others name nothing that could be meant instead; and of no other word was the
    first letter missed.
    """
    if source.held is None:
        return False
    asked, found = asked.lower(), found.lower()
    near = _one_step_from(source.held.lower(), asked)
    return asked not in near and {word for word in near - _JOINING if _begin_alike(asked, word)} == {found}


def _one_step_from(text: bytes, asked: str) -> set[str]:
    """The words of a lower-case text that are `asked` or one step from it.

    The step leaves one half of the word as it is, or swaps the letters where the halves meet.
    """
    half = len(asked) // 2
    begin, end = asked[:half], asked[half:]
    swapped = f"{begin[:-1]}{end[:1]}{begin[-1:]}{end[1:]}"
    words: set[bytes] = set()
    for pattern in (swapped, f"{begin}[a-z]*"):
        for match in re.finditer(pattern.encode(), text):
            if not text[max(0, match.start() - 1) : match.start()].isalpha():
                words.add(match[0] if not text[match.end() : match.end() + 1].isalpha() else b"")
    for match in re.finditer(f"{end}(?![a-z])".encode(), text):
        before = text[max(0, match.start() - half - 2) : match.start()]
        words.add(before[len(before.rstrip(_LETTERS)) :] + match[0])
    return {word for one in words if (word := one.decode()) and (word == asked or one_step(asked, word))}


def _begin_alike(one: str, other: str) -> bool:
    return one[0] == other[0] or sorted(one[:2]) == sorted(other[:2])


def one_step(one: str, other: str) -> bool:
    """Whether one letter inserted, dropped, replaced, or two neighbours swapped make the other word."""
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1 or one == other:
        return False
    head = 0
    while head < len(one) and one[head] == other[head]:
        head += 1
    if len(one) < len(other):
        return one[head:] == other[head + 1 :]
    if one[head + 1 :] == other[head + 1 :]:
        return True
    swapped = other[head + 1 : head + 2] + other[head : head + 1]
    return one[head : head + 2] == swapped and one[head + 2 :] == other[head + 2 :]
