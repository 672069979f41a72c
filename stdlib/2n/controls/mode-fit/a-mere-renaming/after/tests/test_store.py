from notes import store


def test_a_note_is_kept():
    s = store.Store()
    assert s.get_note(s.keep_note("milk")) == "milk"
