"""Forms that no grammar reads: macros of C++, and SQL of other servers."""

import pytest

from filewright.languages import Language
from filewright.structure.outlines import Outlines

CPP = b"""
LIB_NAMESPACE_BEGIN
namespace detail {
LIB_DISABLE_WARNINGS_PUSH_(4251 4275)

// A cart.
class LIB_API Cart final : public Base {
 public:
  LIB_DEPRECATED("use total") static int count() LIB_NOEXCEPT { return 0; }
  LIB_CONSTEXPR14 auto total() const -> int;
 LIB_PRIVATE_UNLESS_TESTED:
  int size_ = 0;
};

template <typename T>
void LIB_INLINE Shelf<T>::flush() {}
LIB_INLINE Shelf::Shelf(int size) : size_(size) {}
enum class Kind { FIRST, LAST_ONE };
}  // namespace detail
LIB_NAMESPACE_END

typedef LIST_OF(CART) CART_LIST;
"""
SQL = b"""
CREATE TABLE [dbo].[order items] (
    [id] [int] IDENTITY (1, 1) NOT NULL,
    [name] [varchar] (128) COLLATE Latin1_General_CI_AI NOT NULL,
    CONSTRAINT [PK_items] PRIMARY KEY CLUSTERED ([id])
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
GO
CREATE NONCLUSTERED INDEX [IX_items] ON [dbo].[order items] ([name]) ON [PRIMARY]
GO
ALTER TABLE [dbo].[order items] WITH CHECK ADD CHECK (([id] > 0))
GO
CREATE VIEW [dbo].[names] AS SELECT TOP 5 [name] FROM [dbo].[order items] WITH (NOLOCK)
GO
CREATE TABLE [dbo].[Other] ([id] [int])
GO
"""


def named(
    outlines: Outlines, text: bytes, language: Language
) -> list[tuple[str, str, str]]:
    outline = outlines.outline(text, language)
    return [
        (
            symbol.kind,
            symbol.lookup_name or symbol.name,
            ".".join(each.name for each in around),
        )
        for around, symbol in outline.walk()
    ]


def test_macros_hide_no_declarations(
    outlines: Outlines,
) -> None:
    assert named(outlines, CPP, Language.CPP) == [
        ("module", "detail", ""),
        ("class", "Cart", "detail"),
        ("method", "count", "detail.Cart"),
        ("method", "total", "detail.Cart"),
        ("property", "size_", "detail.Cart"),
        ("method", "Shelf.flush", "detail"),
        ("method", "Shelf.Shelf", "detail"),
        ("enum", "Kind", "detail"),
        ("member", "FIRST", "detail.Kind"),
        ("member", "LAST_ONE", "detail.Kind"),
        ("type", "CART_LIST", ""),
    ]


def test_names_in_brackets(outlines: Outlines) -> None:
    found = named(outlines, SQL, Language.SQL)
    tables = [
        (kind, name)
        for kind, name, _ in found
        if kind in ("table", "index", "view")
    ]
    assert tables == [
        ("table", "dbo.order items"), ("index", "IX_items"), ("view", "dbo.names"), ("table", "dbo.Other"),
    ]  # fmt: skip
    assert [name for kind, name, _ in found if kind == "column"][:2] == [
        "id",
        "name",
    ]


@pytest.mark.parametrize("language", [Language.C, Language.CPP, Language.SQL])
@pytest.mark.parametrize(
    "piece",
    [
        b"A_" * 60 + b" ",
        b"[",
        b"LIB_X(",
        b") LIB_A ",
        b"GO\n",
        b"\tLIB_A\n",
        b" ",
    ],
)
def test_work_is_linear(
    language: Language, piece: bytes, outlines: Outlines
) -> None:
    assert (
        outlines.outline(piece * (30_000 // len(piece)), language).language
        == language
    )


def test_fills_gaps_of_the_grammar(
    outlines: Outlines,
) -> None:
    kotlin = b"""val listener = object : Listener {
    override fun on() {}
}

public value class Bag
@PublishedApi
internal constructor(@PublishedApi internal val storage: LongArray) : Collection<Long> {
    public constructor(size: Int) : this(LongArray(size))

    override val size: Int get() = storage.size
    public fun get(index: Int): Long = storage[index]
}
"""
    outline = outlines.outline(kotlin, Language.KOTLIN)
    assert outline.errors.count
    found = {
        symbol.name: (symbol.kind, symbol.start_line, symbol.end_line)
        for _, symbol in outline.walk()
    }
    assert found["listener"] == ("variable", 1, 3)
    assert found["Bag"][:2] == ("class", 5)
    assert "get" in found
    assert "on" not in found
