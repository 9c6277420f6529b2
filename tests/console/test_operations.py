"""Each operation of the API has its place in the console, or a reason why it has none."""

from console.document import operations, screens, without_screen


def test_every_operation_has_a_screen_or_a_reason() -> None:
    placed = {operation for told in screens().values() for operation in told}
    assert set(operations().values()) - placed - set(without_screen()) == set()


def test_what_the_folders_say_is_in_the_document() -> None:
    known = set(operations().values())
    placed = {operation for told in screens().values() for operation in told}
    assert placed - known == set()
    assert set(without_screen()) - known == set()
    assert placed & set(without_screen()) == set()


def test_every_operation_says_where_it_is() -> None:
    told = [*screens().values(), without_screen()]
    assert [name for table in told for name, where in table.items() if not where.strip()] == []


def test_no_operation_is_only_planned() -> None:
    told = [*screens().values(), without_screen()]
    assert [name for table in told for name, where in table.items() if "planned" in where.lower()] == []
