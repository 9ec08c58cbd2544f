"""Writes cases.json: what Jinja makes of templates with operators, `with` and `trim`. Run: python3 make.py > cases.json"""
import json
import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
VARIABLES = {
    "t": True, "f": False, "n": None, "zero": 0, "one": 1, "two": 2, "half": 0.5, "onef": 1.0,
    "e": "", "a": "a", "b": "b", "s1": "1", "true_text": "True", "l": [1, "a"], "l2": [1, "a"], "el": [], "nested": [[1], True],
    "d": {"a": 1}, "d2": {"a": True}, "ed": {}, "ws": " \x1c\u00a0x y\u3000\n", "marks": "--x-y--",
}
NAMES = ["t", "n", "zero", "one", "onef", "a", "s1", "true_text", "l", "l2", "nested", "d", "d2", "missing"]

def outcome(template):
    try:
        return {"template": template, "rendered": environment.from_string(template).render(**VARIABLES)}
    except Exception as error:
        return {"template": template, "error": type(error).__name__}

templates = []
TEXTS = {"e", "a", "b", "s1", "true_text"}
OBJECTS = {"d", "d2", "ed"}
for x in NAMES:
    for y in NAMES:
        for operator in ["==", "!=", "<", ">=", "+", "in"]:
            # A text and an object make JSON here, which published templates count on: SOURCE.md.
            if operator == "+" and ((x in TEXTS and y in OBJECTS) or (y in TEXTS and x in OBJECTS)):
                continue
            templates.append("{{ %s %s %s }}" % (x, operator, y))
templates += ["{{ %s | trim }}" % name for name in VARIABLES] + [
    "{{ none | trim }}", "{{ missing | trim }}", "{{ marks | trim('-') }}", "{{ marks | trim(chars='-x') }}", "{{ marks | trim('') }}",
    "{{ none | trim | length }}", "{{ [none, true] | trim }}", "{{ (none | trim) ~ 'x' }}",
    "{{ 1 < 2 < 3 }}", "{{ 1 < 5 < 3 }}", "{{ 3 > 2 >= 2 > 1 }}", "{{ 1 < 2 > 1 <= 0 }}", "{{ not 1 < 0 }}", "{{ 1 + 1 == 2 }}",
    "{{ true + true }}", "{{ 1 + 1.0 }}", "{{ [1] + [2] + [3] }}", "{{ 'a' + 'b' + 'c' }}", "{{ 'a' + 1 | string }}", "{{ ('a' + [1]) if false else 'x' }}",
    "{{ (1, 2) == (1, 2) }}", "{{ (1, 2) == [1, 2] }}", "{{ true in [1] }}", "{{ '1' in [1] }}", "{{ [1] in [[1]] }}",
    "{% if t == 1 %}x{% endif %}", "{% if a == true %}x{% else %}y{% endif %}",
    "{% with %}x{% endwith %}", "{% with x = 1 %}{{ x }}{% endwith %}[{{ x }}]", "{% with x = 1, y = 2 %}{{ x }}{{ y }}{% endwith %}",
    "{% set x = 5 %}{% with x = x + 1, y = x %}{{ x }},{{ y }}{% set x = 9 %},{{ x }}{% endwith %}|{{ x }}",
    "{% with x = [1, 2], y = {'k': 3} %}{{ x[1] }}{{ y.k }}{% endwith %}", "{% with x = f(1) %}{% endwith %}",
    "{% for i in [1, 2] %}{% with x = i %}{{ x }}{{ loop.index }}{% endwith %}{% endfor %}{{ x }}",
    "{% with %}{% set z = 3 %}{{ z }}{% endwith %}[{{ z }}]", "{% set z = 1 %}{% with %}{{ z }}{% set z = z + 1 %}{{ z }}{% endwith %}{{ z }}",
    "{% with x, y = [1, 2] %}{{ x }}{{ y }}{% endwith %}", "{% with x = 1 %}{% with x = x + 1 %}{{ x }}{% endwith %}{{ x }}{% endwith %}",
    "{% with d = {'x': 1}, x = 'k' %}{{ d.x }}{{ x }}{{ d['x'] }}{{ d[x] }}{% endwith %}", "{% with trim = ' q ' %}{{ trim | trim }}{% endwith %}",
    "{% with defined = 1 %}{{ defined is defined }}{{ zz is defined }}{% endwith %}", "{% with n = namespace(x=1) %}{% set n.x = 2 %}{{ n.x }}{% endwith %}",
    "{% macro m(x) %}<{{ x }}>{% endmacro %}{% with x = 1 %}{{ m(x=2) }}{{ m(x) }}{% endwith %}",
    "{% with x = 1 %}{% macro m(x, y=2) %}<{{ x }}{{ y }}>{% endmacro %}{{ m(3) }}{{ m(x, y=x) }}{% endwith %}",
    "{% with x = 1 %}{% for x in [7] %}{{ x }}{% endfor %}{{ x }}{% endwith %}", "{% with x = 1 -%}  a  {%- endwith %}b", "{% with x = 1 %}\n  {{ x }}\n{% endwith %}\nz",
    "{% for i in [1, 2, 3] %}{% with x = i %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endwith %}{% endfor %}",
    "{% with x %}{% endwith %}", "{% with x = %}{% endwith %}", "{% with x = 1, %}{% endwith %}", "{% with x = 1 %}", "{% endwith %}", "{% with 1 = 2 %}{% endwith %}",
    "{% with x = 1 %}{% set y %}[{{ x }}]{% endset %}{{ y }}{% endwith %}{{ y }}", "{% with x = 'a' %}{{ 'b' if x == 'a' else x }}{{ x ~ x }}{{ x | replace('a', x + 'c') }}{% endwith %}",
    "{% with messages = [{'role': 'user', 'content': 'hi'}] %}{% for message in messages %}{{ message['role'] }}: {{ message.content | trim }}{% endfor %}{% endwith %}",
]
cases = [outcome(template) for template in templates]
print('{"made_with":{"jinja2":%s},\n"variables":%s,\n"cases":[\n%s\n]}' % (
    json.dumps(jinja2.__version__), json.dumps(VARIABLES), ",\n".join(json.dumps(case) for case in cases)))
