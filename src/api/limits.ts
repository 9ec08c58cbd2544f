/** Maximum of messages of one conversation: far past any context, and a bound on template work. */
export const MAX_MESSAGES = 4096;
/** Maximum of content parts of one message: with MAX_MESSAGES a bound on joining work. */
export const MAX_PARTS = 1024;
/** Maximum of tools of one request: OpenAI allows 128; agents with several tool servers send more. */
export const MAX_TOOLS = 512;
/**
 * Longest name of a tool: Anthropic takes 128 characters, OpenAI 64; names of MCP tools pass 64. Any characters are
 * allowed.
 */
export const MAX_TOOL_NAME = 128;
/** Maximum of tool calls of one assistant message: as many as tools in a request. */
export const MAX_TOOL_CALLS = 512;
/** Maximum of stop strings: OpenAI takes 4, local servers any number; 16 keeps the automaton small. */
export const MAX_STOPS = 16;
/** Longest stop string, in UTF-16 units: a stream may hold back text of this length. */
export const MAX_STOP_LENGTH = 1024;
/** Maximum of choices of one request: each is a sequence of its own in the engine's batch. */
export const MAX_CHOICES = 16;
/** Maximum of alternatives beside a token's logprob: OpenAI's own limit. */
export const MAX_TOP_LOGPROBS = 20;
/** Maximum of biases of one request: the engine's limit, far above hand-written ones. */
export const MAX_BIASES = 4096;
/** Maximum of stop ids of one request: models name a handful. */
export const MAX_STOP_IDS = 1024;
/** Maximum of sequence breakers: each is searched in every token of the vocabulary. */
export const MAX_BREAKERS = 64;
/** Longest sequence breaker, in UTF-16 units: few tokens are longer. */
export const MAX_BREAKER_LENGTH = 128;
/** Deepest nesting of a request: templates and `tojson` recurse over it, and real schemas are far flatter. */
export const MAX_REQUEST_DEPTH = 64;
/** Maximum of values in a request's body: prompts of token ids have the most, and parsing so many takes some 50 ms. */
export const MAX_BODY_VALUES = 1 << 19;
/**
 * Maximum of strings, objects and arrays of a request's body: 4,096 messages with a tool call each have 60,000. Half a
 * million keys blocked the server's thread for 0.8 s.
 */
export const MAX_BODY_NODES = 1 << 16;
/**
 * Maximum of prompts of one text completion: OpenAI's limit is 2,048; with choices they fill the engine's queue long
 * before.
 */
export const MAX_PROMPTS = 512;
/** Default limit of a text completion's tokens: OpenAI's. */
export const DEFAULT_COMPLETION_TOKENS = 16;
/** Maximum of inputs of one embedding request: OpenAI's own limit. */
export const MAX_EMBED_INPUTS = 2048;
/** Maximum of keys of `chat_template_kwargs`: templates know a handful. */
export const MAX_TEMPLATE_KWARGS = 64;
/** Maximum of entries of `include`: OpenAI knows eight. */
export const MAX_INCLUDES = 64;
/** Maximum of pairs of `metadata`, and the longest value in UTF-16 units: OpenAI's own limits. */
export const MAX_METADATA = 16;
export const MAX_METADATA_LENGTH = 512;
/** Longest `cache_salt`, in UTF-16 units: more than any key or identifier. */
export const MAX_CACHE_SALT = 256;
/** Longest text of a grammar, an expression or a schema, in UTF-16 units: compilation has tighter limits of its own. */
export const MAX_GRAMMAR_TEXT = 1 << 18;
/** Maximum of alternatives of a choice constraint, and the longest of them. */
export const MAX_CHOICE_TEXTS = 4096;
export const MAX_CHOICE_TEXT = 4096;
