"""python3 published_client.py URL MODEL: the Python packages of OpenAI, Anthropic and Ollama against a published model of
instructions, whose words are its own: answers have the form that was asked for. Prints a line a package when all is well."""

import importlib.metadata
import sys
from typing import Literal

import anthropic
import ollama
import openai
from pydantic import BaseModel

url, model = sys.argv[1:]
ask = "Give the city of Oslo with its country and its population in thousands."
warm = [{"role": "user", "content": "How warm is it in Rome, in celsius?"}]


class Place(BaseModel):
    city: str
    country: str
    population: float


class Weather(BaseModel):
    city: str
    unit: Literal["celsius", "fahrenheit"]


schema = Weather.model_json_schema() | {"additionalProperties": False}
about = {"name": "get_weather", "description": "The weather of a city", "parameters": schema}


def openai_client():
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
    messages = [{"role": "user", "content": ask}]
    whole = client.chat.completions.create(model=model, messages=messages, temperature=0, max_tokens=60)
    assert "Oslo" in whole.choices[0].message.content, whole
    stream = client.chat.completions.create(model=model, messages=messages, temperature=0, max_tokens=60, stream=True)
    assert "".join(part.choices[0].delta.content or "" for part in stream) == whole.choices[0].message.content
    parsed = client.chat.completions.parse(model=model, messages=messages, temperature=0, response_format=Place)
    assert parsed.choices[0].message.parsed.city == "Oslo", parsed
    tools = [{"type": "function", "function": about}]
    called = client.chat.completions.create(
        model=model, messages=warm, tools=tools, tool_choice="required", parallel_tool_calls=False, temperature=0
    ).choices[0]
    assert called.finish_reason == "tool_calls", called
    Weather.model_validate_json(called.message.tool_calls[0].function.arguments)
    with client.responses.stream(model=model, input=ask, temperature=0, text_format=Place) as events:
        text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        assert events.get_final_response().output_text == text
    assert Place.model_validate_json(text).city == "Oslo", text
    return openai.__version__


def anthropic_client():
    client = anthropic.Anthropic(base_url=url, api_key="any", max_retries=0)
    greedy = {"extra_body": {"temperature": 0}}
    messages = [{"role": "user", "content": ask}]
    whole = client.messages.create(model=model, max_tokens=60, messages=messages, **greedy)
    with client.messages.stream(model=model, max_tokens=60, messages=messages, **greedy) as stream:
        assert "".join(stream.text_stream) == whole.content[0].text
    called = client.messages.create(
        model=model,
        max_tokens=200,
        messages=warm,
        tools=[{"name": "get_weather", "description": about["description"], "input_schema": schema}],
        tool_choice={"type": "any", "disable_parallel_tool_use": True},
        **greedy,
    )
    assert called.stop_reason == "tool_use", called
    Weather.model_validate(called.content[-1].input)
    return anthropic.__version__


def ollama_client():
    client = ollama.Client(host=url)
    options = {"temperature": 0, "num_predict": 80}
    messages = [{"role": "user", "content": ask}]
    whole = client.chat(model=model, messages=messages, options=options)
    parts = client.chat(model=model, messages=messages, options=options, stream=True)
    assert "".join(part.message.content or "" for part in parts) == whole.message.content
    assert client.generate(model=model, prompt=ask, options=options).response == whole.message.content
    formed = client.chat(model=model, messages=messages, format=Place.model_json_schema(), options=options)
    assert Place.model_validate_json(formed.message.content).city == "Oslo", formed
    tools = [{"type": "function", "function": about}]
    told = client.chat(model=model, messages=warm, tools=tools, options=options).message
    for call in told.tool_calls or []:
        assert call.function.name == "get_weather", call
    listed = [each.model for each in client.list().models]
    assert any(name.startswith(model) for name in listed), listed
    assert "completion" in client.show(model).capabilities
    running = [each.model for each in client.ps().models]
    assert any(name.startswith(model) for name in running), running
    one, two = client.embed(model=model, input=["hello", "world"]).embeddings
    assert len(one) == len(two) > 500
    return importlib.metadata.version("ollama")


for name, check in [("openai", openai_client), ("anthropic", anthropic_client), ("ollama", ollama_client)]:
    print(name, check())
