"""python3 ollama_client.py URL: Ollama's Python package against a server with the demo model. Prints a line when all is well."""

import importlib.metadata
import json
import sys

import ollama

client = ollama.Client(host=sys.argv[1])
messages = [{"role": "user", "content": "What is the capital of Norway?"}]
options = {"temperature": 0}
OSLO = "The capital of Norway is Oslo."

whole = client.chat(model="demo", messages=messages, options=options)
assert whole.message.content == OSLO, whole
assert whole.done_reason == "stop" and whole.eval_count == 8, whole
assert whole.total_duration >= whole.load_duration + whole.prompt_eval_duration + whole.eval_duration, whole

parts = list(client.chat(model="demo", messages=messages, options=options, stream=True))
assert "".join(part.message.content or "" for part in parts) == OSLO
assert [part.done for part in parts].count(True) == 1 and parts[-1].done

first = client.generate(model="demo", prompt=messages[0]["content"], options=options)
assert first.response == OSLO, first
later = client.generate(model="demo", prompt="And of Sweden?", context=first.context, options=options)
assert later.prompt_eval_count > len(first.context), later

thought = client.chat(
    model="demo", messages=[{"role": "user", "content": "What is 12 + 30?"}], think=True, options=options
)
assert thought.message.content == "42" and "12+30" in thought.message.thinking, thought

form = {"type": "object", "properties": {"warm": {"type": "boolean"}}, "required": ["warm"], "additionalProperties": False}
formed = client.chat(model="demo", messages=messages, format=form, options=options).message.content
assert isinstance(json.loads(formed)["warm"], bool), formed


def get_weather(city: str) -> str:
    """Get the current weather in a city.

    Args:
        city: The city.
    """
    return '{"temperature": 21, "sky": "sunny"}'


asked = [{"role": "user", "content": "Is it warm in Oslo?"}]
called = client.chat(model="demo", messages=asked, tools=[get_weather], options=options).message
assert [call.function.name for call in called.tool_calls] == ["get_weather"], called
assert called.tool_calls[0].function.arguments == {"city": "Oslo"}, called
asked.append(called)
asked.append({"role": "tool", "tool_name": "get_weather", "content": get_weather("Oslo")})
told = client.chat(model="demo", messages=asked, tools=[get_weather], options=options).message.content
assert "21" in told or "sunny" in told, told

assert [model.model for model in client.list().models] == ["demo:latest"]
shown = client.show("demo")
assert shown.capabilities == ["completion", "tools", "thinking", "embedding"], shown
assert shown.modelinfo["qwen3.context_length"] == 1024, shown
assert [model.model for model in client.ps().models] == ["demo:latest"]
vectors = client.embed(model="demo", input=["hello", "world"]).embeddings
assert [len(vector) for vector in vectors] == [192, 192]
assert len(client.embeddings(model="demo", prompt="hello").embedding) == 192

try:
    client.chat(model="nobody", messages=messages)
    raise AssertionError("an unknown model was answered")
except ollama.ResponseError as error:
    assert error.status_code == 404 and "not found" in error.error, error

try:
    client.pull("llama3")
    raise AssertionError("a pull was answered where there is no hub")
except ollama.ResponseError as error:
    assert error.status_code == 404 and "llama3" in error.error, error

assert client.generate(model="demo", prompt="", keep_alive=0).done_reason == "unload"

print("ollama", importlib.metadata.version("ollama"))
