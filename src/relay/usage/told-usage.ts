/** The usage that an upstream reported; absent fields were not reported. */
export interface ToldUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  /** Of the prompt. */
  readonly cachedTokens?: number;
  /** Of the prompt. */
  readonly cacheWriteTokens?: number;
  /** Of the completion. */
  readonly reasoningTokens?: number;
  /** Of both, if only the sum was reported. */
  readonly totalTokens?: number;
  /** The upstream reported only zeros: no information, if the answer has text. */
  readonly isZero?: true;
}

/**
 * Joins two reports of one answer, of which `later` is the later one. A number does not replace an earlier one if it is
 * zero, or if it is smaller because it lacks a part. Nor does a smaller one of an object that reports one side only.
 */
export function mergeUsage(earlier: ToldUsage, later: ToldUsage): ToldUsage {
  if (later.isZero === true) return Object.keys(earlier).length === 0 ? later : earlier;
  const isComplete = (later.promptTokens ?? 0) > 0 && (later.completionTokens ?? 0) > 0;
  const total = later.totalTokens ?? earlier.totalTokens;
  return {
    ...promptOf(earlier, later, isComplete),
    ...completionOf(earlier, later, isComplete),
    ...(total !== undefined && { totalTokens: total }),
  };
}

function promptOf(earlier: ToldUsage, later: ToldUsage, isComplete: boolean): ToldUsage {
  const cached = larger(earlier.cachedTokens, later.cachedTokens);
  const written = larger(earlier.cacheWriteTokens, later.cacheWriteTokens);
  const lacks =
    isLacking(earlier.cachedTokens, later.cachedTokens) || isLacking(earlier.cacheWriteTokens, later.cacheWriteTokens);
  const tokens = chosen(earlier.promptTokens, later.promptTokens, isComplete && !lacks);
  const isLater = tokens === later.promptTokens && !lacks;
  return {
    ...(tokens !== undefined && { promptTokens: tokens }),
    ...withCount('cachedTokens', isLater ? (later.cachedTokens ?? cached) : cached, tokens),
    ...withCount('cacheWriteTokens', isLater ? (later.cacheWriteTokens ?? written) : written, tokens),
  };
}

function completionOf(earlier: ToldUsage, later: ToldUsage, isComplete: boolean): ToldUsage {
  const lacks = isLacking(earlier.reasoningTokens, later.reasoningTokens);
  const tokens = chosen(earlier.completionTokens, later.completionTokens, isComplete && !lacks);
  const most = larger(earlier.reasoningTokens, later.reasoningTokens);
  const reasoning = tokens === later.completionTokens && !lacks ? (later.reasoningTokens ?? most) : most;
  return {
    ...(tokens !== undefined && { completionTokens: tokens }),
    ...withCount('reasoningTokens', reasoning, tokens),
  };
}

/** The later one, where it is as good; else the larger. */
function chosen(earlier: number | undefined, later: number | undefined, isGood: boolean): number | undefined {
  if (later === undefined || earlier === undefined) return earlier ?? later;
  return isGood ? later : Math.max(earlier, later);
}

/** The earlier object had a part that the later one leaves out, or reports as zero. */
function isLacking(earlier = 0, later = 0): boolean {
  return earlier > 0 && later === 0;
}

function larger(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}

/** A part, no larger than the whole that it is of. */
function withCount<Name extends string>(
  name: Name,
  value: number | undefined,
  whole: number | undefined,
): { readonly [K in Name]?: number } {
  return value === undefined ? {} : ({ [name]: Math.min(value, whole ?? value) } as { readonly [K in Name]?: number });
}
