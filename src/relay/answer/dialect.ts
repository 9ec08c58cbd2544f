import { readUsage, isRecord, type ToldUsage } from './usage.js';

/** What an event of a stream tells of usage. */
export interface EventUsage {
  readonly told: ToldUsage;
  /** What it says of the completion holds for all of it so far, not for its beginning only. */
  readonly isCurrent: boolean;
}

/** How the answers of one API tell what they cost. */
export interface Dialect {
  /** The path without the base of a server. */
  readonly path: string;
  /** The member of `stream_options` that asks for usage is known. */
  readonly canAskUsage: boolean;
  /** Members of an event whose strings are text of the answer. */
  readonly textKeys: readonly string[];
  /** Found in the event that ends a stream, and in no other; undefined: only the end of its body does. */
  readonly lastEvent: RegExp | undefined;
  /** Found in an event that ends a choice: an event that is there only for usage is the last of a stream behind it. */
  readonly endOfChoice: RegExp | undefined;
  /** Members of a whole answer that are made of tokens of the completion. */
  readonly bodyKeys: readonly string[];
  /** The usage in the data of an event of a stream. */
  eventUsage(data: Readonly<Record<string, unknown>>): EventUsage | undefined;
  /** Whether an event is one that is only there since usage was asked for. */
  isUsageOnly(data: Readonly<Record<string, unknown>>): boolean;
}

/** The line that ends OpenAI's streams of chunks. */
export const DONE_LINE = /(?:^|[\r\n])data: ?\[DONE\]/;
/** Null in the chunks before the last of a choice. */
export const FINISH_REASON = /"finish_reason"\s*:\s*"/;

/** Usage that stands beside the choices of a chunk. */
export function usageBeside(data: Readonly<Record<string, unknown>>): EventUsage | undefined {
  const told = readUsage(data['usage']);
  return told && { told, isCurrent: true };
}

/** A chunk without choices that has usage. Source: OpenAI's API, `stream_options.include_usage`. */
export function isChunkOfUsage(data: Readonly<Record<string, unknown>>): boolean {
  const { choices, usage } = data as { choices?: unknown; usage?: unknown };
  return Array.isArray(choices) && choices.length === 0 && isRecord(usage);
}

/** No event. */
export function never(): false {
  return false;
}
