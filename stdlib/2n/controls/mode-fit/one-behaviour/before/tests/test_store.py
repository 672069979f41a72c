from notes import store


def test_a_note_is_kept():
    s = store.Store()
    assert s.get_note(s.add_note("milk")) == "milk"
