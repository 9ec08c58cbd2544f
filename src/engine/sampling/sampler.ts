import type { Candidates } from './candidates.js';
import type { ParameterTable, ValuesOf } from './parameter.js';

/** Additions to the logits of single tokens. */
export interface LogitBias {
  /** Pairs of a token id and an addition to its logit: -100 to 100, or -Infinity to ban it. Several for one id add up. */
  readonly logitBias: readonly (readonly [tokenId: number, bias: number])[];
}

/** The inputs of the next token of a sequence besides the logits. `Values`: those that its sampler reads. */
export interface SamplerState<Values> {
  readonly sampling: Values;
  /** Prompt, then completion. */
  readonly tokenIds: readonly number[];
  readonly promptLength: number;
  readonly randomKey: bigint;
  readonly stopTokenIds: ReadonlySet<number>;
  /** `sampling.dry.breakerIds`, for lookups. */
  readonly breakers: ReadonlySet<number>;
}

/** One rule that changes logits or drops candidates. It reads its own parameters, and state that is no number. */
export interface Sampler<Table> {
  /** Its parameters: everything else derives from these. */
  readonly parameters: Table;
  /** Whether this rule has no effect here. */
  readonly isOff: (state: SamplerState<ValuesOf<Table> & LogitBias>) => boolean;
  /** Whether it leaves only the likeliest token. Absent: never. */
  readonly leavesBest?: (state: SamplerState<ValuesOf<Table> & LogitBias>) => boolean;
  readonly apply: (candidates: Candidates, state: SamplerState<ValuesOf<Table> & LogitBias>) => void;
}

/** A sampler whose rule is typed by its own parameters. */
export function createSampler<const Table extends ParameterTable>(sampler: Sampler<Table>): Sampler<Table> {
  return sampler;
}
