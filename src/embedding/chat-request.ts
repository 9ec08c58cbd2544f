// A request as a program writes it. The names are those of the HTTP API; the schemas of `api` check the values. null
// means absent.

import type { SamplerFields } from '../wire/index.js';
import type { FormatFields } from './chat-formats.js';
import type { ChatMessage } from './chat-messages.js';
import type { Tool, ToolChoice } from './chat-tools.js';

/** The length of reasoning in words. `ultra` is an alias of `max`. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'ultra';

/** Options of a stream. */
export interface StreamOptions {
  /** Ends the stream with a chunk that has the usage and no choices. */
  readonly include_usage?: boolean | null | undefined;
  /** Accepted without effect: streams are never obfuscated. */
  readonly include_obfuscation?: boolean | null | undefined;
}

/** Reasoning options in the fields of Seed, Anthropic and DeepSeek. */
export interface ThinkingField {
  /** Whether the model reasons; `adaptive` leaves it to the model. */
  readonly type: string;
  /** The most tokens of reasoning. */
  readonly budget_tokens?: number | null | undefined;
}

/** Reasoning options in the fields of OpenRouter. */
export interface ReasoningField {
  /** The length of reasoning. */
  readonly effort?: ReasoningEffort | null | undefined;
  /** The most tokens of reasoning. */
  readonly max_tokens?: number | null | undefined;
  /** Whether the model reasons. */
  readonly enabled?: boolean | null | undefined;
  /** The model reasons, but the answer leaves the reasoning out. */
  readonly exclude?: boolean | null | undefined;
}

/** The fields that samplers declare. */
type DeclaredFields = { readonly [Name in keyof SamplerFields]?: number | null | undefined };

/**
 * Sampling parameters: OpenAI's fields and the additional ones of llama.cpp and vLLM. Each sampler's declaration gives
 * the type of its field. The fields written out here add documentation for editors.
 */
export interface SamplingFields extends DeclaredFields {
  /** 0 takes the likeliest token; higher is more random. 0 to 2. Absent: the model's recommendation, else 0.8. */
  readonly temperature?: number | null | undefined;
  /**
   * Keeps the likeliest tokens that together have this probability; 1 keeps all. Absent: the model's value, else 0.95.
   */
  readonly top_p?: number | null | undefined;
  /** Keeps this many of the likeliest tokens; 0 or −1 keeps all. Absent: the model's recommendation, else 40. */
  readonly top_k?: number | null | undefined;
  /** Least probability relative to the likeliest token; 0 keeps all. Absent: the model's recommendation, else 0.05. */
  readonly min_p?: number | null | undefined;
  /** Defaults if neither request nor model sets a value. `chat`: those above; `api`: temperature and top_p 1. */
  readonly sampling_defaults?: 'api' | 'chat' | null | undefined;
  /** Keeps tokens whose information content is close to the average. Default 1: all. */
  readonly typical_p?: number | null | undefined;
  /**
   * The same seed gives the same answer. 64 bits; above 2^53 a bigint or digits. Absent or −1: a new seed each time.
   */
  readonly seed?: number | bigint | string | null | undefined;
  /** The number of answers, 1 to 16. Default 1. */
  readonly n?: number | null | undefined;
  /** Returns the log-probabilities of the content's tokens. */
  readonly logprobs?: boolean | null | undefined;
  /** With `logprobs`: the number of likeliest tokens that the answer lists at each position, 0 to 20. */
  readonly top_logprobs?: number | null | undefined;
  /** Additions to the logits of token ids, −100 to 100. As pairs of an id and a bias, false bans the token. */
  readonly logit_bias?:
    | Readonly<Record<string, number>>
    | readonly (readonly [tokenId: number, bias: number | boolean])[]
    | null
    | undefined;
  /** Penalizes tokens by how often they have occurred. −2 to 2, default 0. */
  readonly frequency_penalty?: number | null | undefined;
  /** Penalizes tokens that have occurred, regardless of how often. −2 to 2, default 0. */
  readonly presence_penalty?: number | null | undefined;
  /** Makes recent tokens less likely by this factor. Absent: the model's recommendation, else 1. */
  readonly repetition_penalty?: number | null | undefined;
  /** Alias of `repetition_penalty`, which takes precedence. */
  readonly repeat_penalty?: number | null | undefined;
  /** The number of last tokens that `repetition_penalty` covers; −1 is all. Default 64. */
  readonly repeat_last_n?: number | null | undefined;
  /** The answer has at least this many tokens. Default 0. */
  readonly min_tokens?: number | null | undefined;
  /** Continues past the model's own end token. */
  readonly ignore_eos?: boolean | null | undefined;
  /** Token ids that end the answer, beside the model's own. */
  readonly stop_token_ids?: readonly number[] | null | undefined;
  /** Strength of the penalty for tokens that continue a repetition. Default 0: no penalty. */
  readonly dry_multiplier?: number | null | undefined;
  /** Growth of the penalty with each token of the repetition. Default 1.75. */
  readonly dry_base?: number | null | undefined;
  /** The longest repetition without a penalty. Default 2. */
  readonly dry_allowed_length?: number | null | undefined;
  /** The number of last tokens that the penalty covers; −1, the default, is all. */
  readonly dry_penalty_last_n?: number | null | undefined;
  /** Texts that end a repetition. */
  readonly dry_sequence_breakers?: readonly string[] | null | undefined;
  /** Probability of leaving out the likeliest tokens, 0 to 1. Default 0: never. */
  readonly xtc_probability?: number | null | undefined;
  /** The least probability at which a token counts as one of the likeliest. Default 0.1. */
  readonly xtc_threshold?: number | null | undefined;
}

/** Known fields that would change the answer but are not supported yet. Any value that asks for a change is refused. */
export interface UnsupportedFields {
  /** The retired form of `tools`. */
  readonly functions?: unknown;
  /** The retired form of `tool_choice`. */
  readonly function_call?: unknown;
  /** Options of a spoken answer. */
  readonly audio?: unknown;
  /** The modalities of the answer. Only `text` works. */
  readonly modalities?: readonly string[] | null | undefined;
  /** Whether special tokens are left out of the text. Only true works. */
  readonly skip_special_tokens?: unknown;
  /** Whether the prompt ends with the opening of the assistant's turn. Only true works. */
  readonly add_generation_prompt?: unknown;
  /** Whether the last message is to be continued. Only false works. */
  readonly continue_final_message?: unknown;
  /** Sampling towards a perplexity. Only 0 works. */
  readonly mirostat?: unknown;
  /** The range in which the entropy adjusts the temperature. Only 0 works. */
  readonly dynatemp_range?: unknown;
  /** Keeps tokens within this many standard deviations of the likeliest. Only 0 and −1 work. */
  readonly top_n_sigma?: unknown;
  /** Texts that the answer may not contain. Only an empty list works. */
  readonly bad_words?: unknown;
  /** The only tokens that the answer may contain. */
  readonly allowed_token_ids?: unknown;
}

/** Fields of other servers that change no answer. They are accepted without effect. */
export interface IgnoredFields {
  /** Options of a web search. This engine does not search the web. */
  readonly web_search_options?: unknown;
  /** Whether a hosted service stores the answer. This engine stores no answers. */
  readonly store?: boolean | null | undefined;
  /** Labels under which a hosted service stores the answer. */
  readonly metadata?: unknown;
  /** Id of the end user of a hosted service. Use the option `caller` instead. */
  readonly user?: string | null | undefined;
  /** The service tier of a hosted service. */
  readonly service_tier?: string | null | undefined;
  /** Id of the end user for a hosted service's safety checks. */
  readonly safety_identifier?: string | null | undefined;
  /** Key of the requests that share a cache in a hosted service. */
  readonly prompt_cache_key?: string | null | undefined;
  /** Cache options of a hosted service. */
  readonly prompt_cache_options?: unknown;
  /** The time for which a hosted service keeps a cache. */
  readonly prompt_cache_retention?: string | null | undefined;
  /** The verbosity of models that are trained for this option. */
  readonly verbosity?: string | null | undefined;
  /** Text that the answer is likely to repeat. This engine finds it without the field. */
  readonly prediction?: unknown;
  /** Whether a hosted service moderates the content. */
  readonly moderation?: unknown;
  /** Whether llama.cpp caches the prompt. This engine always does. */
  readonly cache_prompt?: unknown;
  /** The slot of llama.cpp that answers. */
  readonly id_slot?: unknown;
  /** Whether llama.cpp adds times to each token. */
  readonly timings_per_token?: unknown;
  /** Whether llama.cpp reports the progress of a prompt. */
  readonly return_progress?: unknown;
  /** A parameter of `mirostat`. */
  readonly mirostat_tau?: unknown;
  /** A parameter of `mirostat`. */
  readonly mirostat_eta?: unknown;
  /** A parameter of `dynatemp_range`. */
  readonly dynatemp_exponent?: unknown;
  /** The time for which Ollama keeps a model loaded. This engine keeps it while memory allows. */
  readonly keep_alive?: unknown;
  /** The context length in Ollama. Use `maxContext` of the engine instead. */
  readonly num_ctx?: unknown;
  /** The time for which LM Studio keeps a model loaded. */
  readonly ttl?: unknown;
  /** The model with which LM Studio drafts tokens. */
  readonly draft_model?: unknown;
  /** The id of a request in vLLM. */
  readonly request_id?: unknown;
  /** The providers that OpenRouter may use. */
  readonly provider?: unknown;
  /** The models that OpenRouter uses if the first fails. */
  readonly models?: unknown;
  /** The order in which OpenRouter uses `models`. */
  readonly route?: unknown;
  /** Whether OpenRouter reports the usage. This engine always does. */
  readonly usage?: unknown;
}

/**
 * A chat-completions request: OpenAI's `ChatCompletionCreateParams` fits without a cast. An unknown field is refused
 * with the nearest known name (`unknown_parameter`).
 */
export interface ChatCompletionRequest extends SamplingFields, FormatFields, UnsupportedFields, IgnoredFields {
  /** The conversation, at least one message. */
  readonly messages: readonly ChatMessage[];
  /** Ignored: the called model answers. */
  readonly model?: string | null | undefined;
  /** Ignored: `chat` returns a whole answer, `stream` chunks. */
  readonly stream?: boolean | null | undefined;
  /** Options of the stream. */
  readonly stream_options?: StreamOptions | null | undefined;
  /** The tools that the model may call, at most 128. */
  readonly tools?: readonly Tool[] | null | undefined;
  /** Whether the model may or must call tools, and which. Absent: it may. */
  readonly tool_choice?: ToolChoice | null | undefined;
  /** false: the answer ends with its first complete call. */
  readonly parallel_tool_calls?: boolean | null | undefined;
  /** The most tokens of an answer. Absent or −1: the rest of the context. */
  readonly max_tokens?: number | null | undefined;
  /** OpenAI's newer name of `max_tokens`, which takes precedence over it. */
  readonly max_completion_tokens?: number | null | undefined;
  /** llama.cpp's name of `max_tokens`; −1 is no limit. */
  readonly n_predict?: number | null | undefined;
  /** Texts that end the answer, at most 16; they are not part of it. */
  readonly stop?: string | readonly string[] | null | undefined;
  /** Makes the stop text part of the answer. */
  readonly include_stop_str_in_output?: boolean | null | undefined;
  /** true: text of control tokens in messages and tools becomes control tokens, for trusted prompts. Default false. */
  readonly parse_special?: boolean | null | undefined;
  /** true: leaves out tools, roles or reasoning that the model's template does not use. Default false: refuses them. */
  readonly drop_unsupported?: boolean | null | undefined;
  /** Only requests with the same salt share cached prefixes; 1 to 256 characters. */
  readonly cache_salt?: string | null | undefined;
  /** Reasoning options in the fields of Seed, Anthropic and DeepSeek. */
  readonly thinking?: ThinkingField | null | undefined;
  /** Whether the model reasons: Qwen's field. */
  readonly enable_thinking?: boolean | null | undefined;
  /** The most tokens of reasoning: Qwen's field; −1 is no limit. */
  readonly thinking_budget?: number | null | undefined;
  /** The most tokens of reasoning: vLLM's field; −1 is no limit. */
  readonly thinking_token_budget?: number | null | undefined;
  /** Additional variables for the model's template. */
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>> | null | undefined;
  /** false: the answer leaves reasoning out, but its tokens count. */
  readonly include_reasoning?: boolean | null | undefined;
  /** The length of reasoning: OpenAI's field. */
  readonly reasoning_effort?: ReasoningEffort | null | undefined;
  /** Reasoning options in the fields of OpenRouter. */
  readonly reasoning?: ReasoningField | null | undefined;
  /** The place of reasoning in the answer: the field of llama.cpp and Groq; `hidden` leaves it out. */
  readonly reasoning_format?: string | null | undefined;
}
