"""Whether one word is a slip of the pen for another: only where it is no word itself.

The list is of English words, American and British, from SCOWL (see ``words.LICENSE`` beside it), and
of the words programmers use. It says what is a word; that a word is missing from it never lets an
edit land by itself.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
import zlib
from functools import cache
from importlib.resources import files

from filewright.edit.locate.source import Source


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE_WORDS = _words(
    """
    scrapy abi alloc alloca amd amqp ansi api apis app apps apt arg argc args argv arm arr ascii asm async atoi
    attr attrs auth authn authz autosave await awk aws axios babel backend backends backtick backticks
    base64 bash bashrc basename benchmark binlog bios bitmask bitwise blob blobs bool boolean booleans
    bootstrap bson btn buf bufsize bugfix builtin builtins bytecode cargo cdn cert certs cgi changelog
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
    wsl xcode xhr xml xpath xss yaml yarn yml zip zlib zsh
    """
)
_MONTHS_AND_DAYS = _words(
    """
    jan feb mar apr may jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    """
)


@cache
def _list() -> bytes:
    packed = files("filewright.edit.locate").joinpath("words.txt.gz").read_bytes()
    return b"\n" + zlib.decompress(packed, wbits=31)


@cache
def _python_words() -> frozenset[str]:
    return frozenset(map(str.lower, (*keyword.kwlist, *dir(builtins), *sys.stdlib_module_names)))


def is_english(word: str) -> bool:
    """Whether the lower-case `word` is a common word of English; names are not."""
    return word.isascii() and b"\n" + word.encode() + b"\n" in _list()


def is_word(word: str) -> bool:
    """Whether `word` means something by itself, in English or to programmers."""
    lower = word.lower()
    known = lower in _CODE_WORDS or lower in _MONTHS_AND_DAYS or lower in _python_words()
    return known or is_english(lower) or is_english(word.capitalize())


def is_slip(asked: str, found: str) -> bool:
    """Whether `asked` can only be `found` misspelled: one step apart, and `asked` no word at all.

    Two neighbours swapped or one letter doubled make no other name of a name. Where `found` is a common
    word in small letters, one letter may also be wrong, missing or too much, but not the first, and
    not an ending. Capitals may begin common words; others are names, and stay.
    """
    if asked[0].isupper() and found[0].isupper() and is_english(found.lower()) and is_word(found.lower()):
        return found[1:].islower() and is_slip(asked.lower(), found.lower()) and _is_mistyped(asked, found)
    if not (asked.islower() and found.islower() and one_step(asked, found)) or is_word(asked):
        return False
    if _is_mistyped(asked, found):
        return True
    longer, shorter = (asked, found) if len(asked) >= len(found) else (found, asked)
    ending = len(longer) > len(shorter) and longer.startswith(shorter)
    usual = is_english(found) and asked[0] == found[0] and len(shorter) > 3
    return usual and not (ending and longer[-1] in "sdrnyx")


def _is_mistyped(asked: str, found: str) -> bool:
    """Whether two neighbours are swapped, or a letter is doubled."""
    if sorted(asked) == sorted(found):
        return len(found) > 3 or is_english(found)
    once = [re.sub(r"(.)\1+", r"\1", word) for word in (asked, found)]
    return min(len(asked), len(found)) > 3 and once[0] == once[1]


def is_only_neighbour(source: Source, asked: str, found: str) -> bool:
    """Whether `found` is the one word of the file that `asked` is a step from, and `asked` is not in it."""
    if source.held is None:
        return False
    low, high = max(1, len(asked) - 1), len(asked) + 1
    pattern = re.compile(rb"(?<![A-Za-z])[A-Za-z]{%d,%d}(?![A-Za-z])" % (low, high))
    words = {word.decode().lower() for word in set(pattern.findall(source.held))}
    asked, found = asked.lower(), found.lower()
    return asked not in words and {word for word in words if one_step(asked, word)} == {found}


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
