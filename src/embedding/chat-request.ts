// A request as a program writes it. The names are the wire's; the schemas of `api` check the values. null means absent.

import type { SamplerFields } from '../wire/index.js';
import type { FormatFields } from './chat-formats.js';
import type { ChatMessage } from './chat-messages.js';
import type { Tool, ToolChoice } from './chat-tools.js';

/** How long the model may think, in words. `ultra` is another name of `max`. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'ultra';

/** What a stream tells besides its deltas. */
export interface StreamOptions {
  /** End with a chunk that has the usage, and none of the others. */
  readonly include_usage?: boolean | null | undefined;
  /** Accepted; nothing is obfuscated. */
  readonly include_obfuscation?: boolean | null | undefined;
}

/** Thinking in the words of Seed, Anthropic and DeepSeek. */
export interface ThinkingField {
  /** Whether to think; `adaptive` leaves it to the model. */
  readonly type: string;
  /** The most tokens of reasoning. */
  readonly budget_tokens?: number | null | undefined;
}

/** Thinking in the words of OpenRouter. */
export interface ReasoningField {
  /** How long to think. */
  readonly effort?: ReasoningEffort | null | undefined;
  /** The most tokens of reasoning. */
  readonly max_tokens?: number | null | undefined;
  /** Whether to think. */
  readonly enabled?: boolean | null | undefined;
  /** Think, and do not show it. */
  readonly exclude?: boolean | null | undefined;
}

/** The fields that samplers declare. */
type DeclaredFields = { readonly [Name in keyof SamplerFields]?: number | null | undefined };

/**
 * How tokens are chosen: OpenAI's fields, and those that llama.cpp and vLLM take beside them. A sampler's field is typed by
 * what the sampler declares; those that are written out too have words that an editor shows.
 */
export interface SamplingFields extends DeclaredFields {
  /** 0 always takes the likeliest token; higher is more random. 0 to 2. Absent: what the model recommends, else 0.8. */
  readonly temperature?: number | null | undefined;
  /** Of the likeliest tokens as many as have this share of the probability; 1 is all. Absent: what the model recommends, else 0.95. */
  readonly top_p?: number | null | undefined;
  /** The so many likeliest tokens; 0 or −1 is all. Absent: what the model recommends, else 40. */
  readonly top_k?: number | null | undefined;
  /** Tokens at least this part as likely as the likeliest; 0 is all. Absent: what the model recommends, else 0.05. */
  readonly min_p?: number | null | undefined;
  /** Whose defaults hold for what is absent here and not recommended: `chat`, those above, or `api`, temperature and top_p 1. */
  readonly sampling_defaults?: 'api' | 'chat' | null | undefined;
  /** Tokens about as surprising as the average. Default 1: all. */
  readonly typical_p?: number | null | undefined;
  /** The same seed gives the same answer: 64 bits, beyond 2^53 as a bigint or as digits. Absent or −1: another one each time. */
  readonly seed?: number | bigint | string | null | undefined;
  /** How many answers, 1 to 16. Default 1. */
  readonly n?: number | null | undefined;
  /** Give the log-probabilities of the content's tokens. */
  readonly logprobs?: boolean | null | undefined;
  /** With `logprobs`: how many of the likeliest tokens beside each, 0 to 20. */
  readonly top_logprobs?: number | null | undefined;
  /** Additions to the logits of token ids, −100 to 100. As pairs of an id and a bias, false bans the token. */
  readonly logit_bias?:
    | Readonly<Record<string, number>>
    | readonly (readonly [tokenId: number, bias: number | boolean])[]
    | null
    | undefined;
  /** Less of what has come, the more often it has. −2 to 2, default 0. */
  readonly frequency_penalty?: number | null | undefined;
  /** Less of what has come, however often. −2 to 2, default 0. */
  readonly presence_penalty?: number | null | undefined;
  /** What has come lately is so many times less likely. Absent: what the model recommends, else 1. */
  readonly repetition_penalty?: number | null | undefined;
  /** Another name of `repetition_penalty`, which outranks it. */
  readonly repeat_penalty?: number | null | undefined;
  /** How many of the last tokens `repetition_penalty` looks at; −1 is all. Default 64. */
  readonly repeat_last_n?: number | null | undefined;
  /** The answer does not end before so many tokens. Default 0. */
  readonly min_tokens?: number | null | undefined;
  /** Go on at the model's own end. */
  readonly ignore_eos?: boolean | null | undefined;
  /** Token ids that end the answer, beside the model's own. */
  readonly stop_token_ids?: readonly number[] | null | undefined;
  /** How much what goes on with a repetition is penalised. Default 0: not at all. */
  readonly dry_multiplier?: number | null | undefined;
  /** By how much the penalty grows with each token of the repetition. Default 1.75. */
  readonly dry_base?: number | null | undefined;
  /** The longest repetition that costs nothing. Default 2. */
  readonly dry_allowed_length?: number | null | undefined;
  /** How many of the last tokens are looked at; −1 is all, the default. */
  readonly dry_penalty_last_n?: number | null | undefined;
  /** Texts across which nothing counts as repeated. */
  readonly dry_sequence_breakers?: readonly string[] | null | undefined;
  /** How often the likeliest tokens are left out, 0 to 1. Default 0: never. */
  readonly xtc_probability?: number | null | undefined;
  /** From which probability on a token counts as one of the likeliest. Default 0.1. */
  readonly xtc_threshold?: number | null | undefined;
}

/** Fields that are known and would change the answer, but do not work yet: refused unless what they say asks for nothing. */
export interface UnsupportedFields {
  /** The retired form of `tools`. */
  readonly functions?: unknown;
  /** The retired form of `tool_choice`. */
  readonly function_call?: unknown;
  /** How the answer is spoken. */
  readonly audio?: unknown;
  /** What the answer consists of. Only `text` works. */
  readonly modalities?: readonly string[] | null | undefined;
  /** Whether special tokens are left out of the text. Only true works. */
  readonly skip_special_tokens?: unknown;
  /** Whether the prompt ends with the opening of the assistant's turn. Only true works. */
  readonly add_generation_prompt?: unknown;
  /** Whether the last message is to be continued. Only false works. */
  readonly continue_final_message?: unknown;
  /** Sampling towards a perplexity. Only 0 works. */
  readonly mirostat?: unknown;
  /** How far the temperature may go with the entropy. Only 0 works. */
  readonly dynatemp_range?: unknown;
  /** Tokens within so many standard deviations of the likeliest. Only 0 and −1 work. */
  readonly top_n_sigma?: unknown;
  /** Texts that may not come. Only an empty list works. */
  readonly bad_words?: unknown;
  /** The only tokens that may come. */
  readonly allowed_token_ids?: unknown;
}

/** Fields of other servers that change no answer: accepted, and of no effect. */
export interface IgnoredFields {
  /** How the web is searched. Nothing is searched here. */
  readonly web_search_options?: unknown;
  /** Whether a hosted service keeps the answer. Nothing is kept here. */
  readonly store?: boolean | null | undefined;
  /** What a hosted service files the answer under. */
  readonly metadata?: unknown;
  /** Who asks, for a hosted service. Here it is `caller`, beside the request. */
  readonly user?: string | null | undefined;
  /** Which service of a hosted one answers. */
  readonly service_tier?: string | null | undefined;
  /** Who asks, for a hosted service's safety. */
  readonly safety_identifier?: string | null | undefined;
  /** Which requests of a hosted service share a cache. */
  readonly prompt_cache_key?: string | null | undefined;
  /** How a hosted service caches. */
  readonly prompt_cache_options?: unknown;
  /** How long a hosted service caches. */
  readonly prompt_cache_retention?: string | null | undefined;
  /** How wordy models that are trained for it answer. */
  readonly verbosity?: string | null | undefined;
  /** Text that the answer is likely to repeat. It is found here without. */
  readonly prediction?: unknown;
  /** Whether a hosted service judges what is said. */
  readonly moderation?: unknown;
  /** Whether llama.cpp keeps a prompt. Prompts are always kept here. */
  readonly cache_prompt?: unknown;
  /** Which place of llama.cpp answers. */
  readonly id_slot?: unknown;
  /** Whether llama.cpp adds times to each token. */
  readonly timings_per_token?: unknown;
  /** Whether llama.cpp tells how far it is with a prompt. */
  readonly return_progress?: unknown;
  /** A fine setting of `mirostat`. */
  readonly mirostat_tau?: unknown;
  /** A fine setting of `mirostat`. */
  readonly mirostat_eta?: unknown;
  /** A fine setting of `dynatemp_range`. */
  readonly dynatemp_exponent?: unknown;
  /** How long Ollama keeps a model. Here it stays while there is room. */
  readonly keep_alive?: unknown;
  /** How long a context Ollama makes. Here it is `maxContext` of the engine. */
  readonly num_ctx?: unknown;
  /** How long LM Studio keeps a model. */
  readonly ttl?: unknown;
  /** The model with which LM Studio drafts tokens. */
  readonly draft_model?: unknown;
  /** What vLLM calls a request. */
  readonly request_id?: unknown;
  /** Which of its providers OpenRouter asks. */
  readonly provider?: unknown;
  /** Which models OpenRouter asks when the first fails. */
  readonly models?: unknown;
  /** How OpenRouter goes through `models`. */
  readonly route?: unknown;
  /** Whether OpenRouter tells the usage. It is always told here. */
  readonly usage?: unknown;
}

/**
 * A request of chat completions: OpenAI's `ChatCompletionCreateParams` fits without a cast. A field that is none of these is
 * refused with the nearest name (`unknown_parameter`).
 */
export interface ChatCompletionRequest extends SamplingFields, FormatFields, UnsupportedFields, IgnoredFields {
  /** The conversation, at least one message. */
  readonly messages: readonly ChatMessage[];
  /** Not read: the model is the one that is called. */
  readonly model?: string | null | undefined;
  /** Not read: `chat` answers whole, `stream` in chunks. */
  readonly stream?: boolean | null | undefined;
  /** What a stream tells besides its deltas. */
  readonly stream_options?: StreamOptions | null | undefined;
  /** What the model may call, at most 128. */
  readonly tools?: readonly Tool[] | null | undefined;
  /** Whether the model may call them, or must, and which. Absent: it may. */
  readonly tool_choice?: ToolChoice | null | undefined;
  /** false: the answer ends with its first complete call. */
  readonly parallel_tool_calls?: boolean | null | undefined;
  /** The most tokens of an answer. Absent or −1: what the context has room for. */
  readonly max_tokens?: number | null | undefined;
  /** The same, under OpenAI's newer name, which outranks it. */
  readonly max_completion_tokens?: number | null | undefined;
  /** The same, under llama.cpp's name; −1 is no limit. */
  readonly n_predict?: number | null | undefined;
  /** Texts that end the answer, at most 16; they are not part of it. */
  readonly stop?: string | readonly string[] | null | undefined;
  /** They are part of it. */
  readonly include_stop_str_in_output?: boolean | null | undefined;
  /** true: the text of a control token in messages and tools is that token, as for trusted prompts. Default false: it is text. */
  readonly parse_special?: boolean | null | undefined;
  /** true: what the model's template makes no use of (tools, a role, thinking) is left out. Default false: it is refused. */
  readonly drop_unsupported?: boolean | null | undefined;
  /** Shares cached prefixes with the requests of the same salt only, 1 to 256 characters. */
  readonly cache_salt?: string | null | undefined;
  /** Thinking in the words of Seed, Anthropic and DeepSeek. */
  readonly thinking?: ThinkingField | null | undefined;
  /** Whether to think, in Qwen's words. */
  readonly enable_thinking?: boolean | null | undefined;
  /** The most tokens of reasoning, in Qwen's words; −1 is no limit. */
  readonly thinking_budget?: number | null | undefined;
  /** The most tokens of reasoning, in vLLM's words; −1 is no limit. */
  readonly thinking_token_budget?: number | null | undefined;
  /** Variables for the model's template, beside those that the request gives. */
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>> | null | undefined;
  /** false: reasoning is counted, and not given out. */
  readonly include_reasoning?: boolean | null | undefined;
  /** How long to think, in OpenAI's words. */
  readonly reasoning_effort?: ReasoningEffort | null | undefined;
  /** Thinking in the words of OpenRouter. */
  readonly reasoning?: ReasoningField | null | undefined;
  /** The place of reasoning in the answer, in llama.cpp's and Groq's words; `hidden` leaves it out. */
  readonly reasoning_format?: string | null | undefined;
}
