from notes import store


def test_a_note_is_kept():
    s = store.Store()
    assert s.get_note(s.add_note("milk")) == "milk"


def test_a_note_is_changed():
    s = store.Store()
    number = s.add_note("milk")
    s.change_note(number, "bread")
    assert s.get_note(number) == "bread"
