import type { RuntimeKind } from '../runtime-kind.js';
import { runtimeKinds, type RuntimeKindName } from '../runtimes/index.js';

const kinds = Object.entries(runtimeKinds) as readonly (readonly [RuntimeKindName, RuntimeKind])[];

/** The kinds of model servers that gateway.yaml accepts: the gateway can relay requests to them. */
export const runtimeKindNames: readonly RuntimeKindName[] = kinds
  .filter(([, { refusal }]) => refusal === undefined)
  .map(([name]) => name);
