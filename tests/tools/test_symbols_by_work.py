"""The definitions named beside matches depend on the amount of work, never on how busy the machine is."""


def test_as_many_files_are_outlined_whatever_the_load(root, workspace):
    for number in range(100):
        (root / f"f{number:03}.py").write_text(
            f"def f{number}():\n    needle = {number}\n"
        )
    found = workspace.search("needle", max_results=100, context=0).results
    assert len(found) == 100
    assert [hit.symbol for hit in found[:64]] == [
        f"f{number}" for number in range(64)
    ]
    assert {hit.symbol for hit in found[64:]} == {None}
