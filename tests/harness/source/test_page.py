from harness.source.page import Page
from harness.source.script import Script

TEXT = """<!doctype html>
<!-- <p id="comment"> -->
{# <p id="note"> #}
{% raw %}{{ kept }}{% endraw %}
<form method="post" action="{{ url_for("index") }}" data-x='a>b'>
  <input name=q disabled>{{ csrf() }}
</form>
<script>
const a = "{{ name }}";
fetch(`/item/${a}`, {method: "PUT"});
</script>
<p>é <b id="last">
"""


def test_elements_have_their_place_their_end_and_their_attributes_as_written():
    page = Page("a.html", TEXT)
    form, field, script, paragraph, bold = page.elements
    assert (form.tag, form.line, form.column, form.end_line) == ("form", 5, 1, 7)
    assert form.attributes == {"method": "post", "action": '{{ url_for("index") }}', "data-x": "a>b"}
    assert field.attributes == {"name": "q", "disabled": ""}
    assert (script.line, paragraph.line, bold.column) == (8, 12, 6)


def test_template_tags_inside_of_comments_and_raw_parts_are_left_out():
    texts = [tag.text for tag in Page("a.html", TEXT).tags]
    assert texts == ["raw", "endraw", 'url_for("index")', "csrf()", "name"]


def test_scripts_of_a_page_keep_the_places_of_the_page():
    (script,) = Page("a.html", TEXT).scripts()
    (call,) = script.nodes("call_expression")
    assert script.place(call) == (10, 1)
    address, options = call.child_by_field_name("arguments").named_children
    assert script.pattern(address) == "/item/\0"
    assert script.literal(script.property(options, "method")) == "PUT"


def test_columns_of_scripts_count_characters_and_broken_scripts_still_have_nodes():
    script = Script("a.js", 'const é = 1; f("x" + y + "z"); ((( {')
    call = next(script.nodes("call_expression"))
    assert script.place(call) == (1, 14)
    assert script.pattern(call.child_by_field_name("arguments").named_children[0]) == "x\0z"
    assert script.pattern(None) is None
