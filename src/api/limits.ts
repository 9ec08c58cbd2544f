/** Most messages of one conversation: far past any context, and a bound on template work. */
export const MAX_MESSAGES = 4096;
/** Most content parts of one message: with MAX_MESSAGES a bound on joining work. */
export const MAX_PARTS = 1024;
/** Most tools of one request: OpenAI takes 128; agents with several servers of tools send more. */
export const MAX_TOOLS = 512;
/** Longest name of a tool: Anthropic takes 128 characters, OpenAI 64; names of MCP tools pass 64. Any characters are taken. */
export const MAX_TOOL_NAME = 128;
/** Most tool calls of one assistant message: no more calls than tools may be offered. */
export const MAX_TOOL_CALLS = 512;
/** Most stop strings: OpenAI takes 4, local servers any number; 16 keeps the automaton small. */
export const MAX_STOPS = 16;
/** Longest stop string, in UTF-16 units: text of this length may be held back from a stream. */
export const MAX_STOP_LENGTH = 1024;
/** Most choices of one request: each is a sequence of its own in the engine's batch. */
export const MAX_CHOICES = 16;
/** Most alternatives beside a token's logprob: OpenAI's own limit. */
export const MAX_TOP_LOGPROBS = 20;
/** Most biases of one request: the engine's limit, far above what a person writes. */
export const MAX_BIASES = 4096;
/** Most stop ids of one request: models name a handful. */
export const MAX_STOP_IDS = 1024;
/** Most sequence breakers: each is sought in every token of the vocabulary. */
export const MAX_BREAKERS = 64;
/** Longest sequence breaker, in UTF-16 units: few tokens are longer. */
export const MAX_BREAKER_LENGTH = 128;
/** Deepest nesting of a request: templates and `tojson` recurse over it, and no real schema comes near. */
export const MAX_DEPTH = 64;
/** Most values in a request's body: prompts of token ids have the most, and parsing so many takes some 50 ms. */
export const MAX_BODY_VALUES = 1 << 19;
/**
 * Most strings, objects and arrays of a request's body: 4,096 messages with a tool call each have 60,000. Half a million keys
 * held up the thread that serves for 0.8 s.
 */
export const MAX_BODY_NODES = 1 << 16;
/** Most prompts of one text completion: OpenAI's limit is 2,048; with choices they fill the engine's queue long before. */
export const MAX_PROMPTS = 512;
/** Most tokens of a text completion that says none: OpenAI's default. */
export const DEFAULT_COMPLETION_TOKENS = 16;
/** Most inputs of one embedding request: OpenAI's own limit. */
export const MAX_EMBED_INPUTS = 2048;
/** Most keys of `chat_template_kwargs`: templates know a handful. */
export const MAX_TEMPLATE_KWARGS = 64;
/** Most entries of `include`: OpenAI knows eight. */
export const MAX_INCLUDES = 64;
/** Most pairs of `metadata`, and the longest value in UTF-16 units: OpenAI's own limits. */
export const MAX_METADATA = 16;
export const MAX_METADATA_LENGTH = 512;
/** Longest `cache_salt`, in UTF-16 units: more than any key or identifier. */
export const MAX_CACHE_SALT = 256;
/** Longest text of a grammar, an expression or a schema, in UTF-16 units: what is compiled has a tighter limit of its own. */
export const MAX_GRAMMAR_TEXT = 1 << 18;
/** Most texts of which an answer is one, and the longest of them. */
export const MAX_CHOICE_TEXTS = 4096;
export const MAX_CHOICE_TEXT = 4096;
