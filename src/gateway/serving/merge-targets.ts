import type { ModelTargets } from './model-trial.js';

/** The targets of several relays as one list. Adds up requests under way; a target is out if one relay keeps it out. */
export function mergeTargets(relays: readonly (readonly ModelTargets[])[]): readonly ModelTargets[] {
  const [first = [], ...others] = relays;
  return first.map(({ id, targets }) => ({
    id,
    targets: targets.map((target) => {
      const same = others.flatMap((models) =>
        models
          .filter((model) => model.id === id)
          .flatMap((model) => model.targets.filter((each) => each.id === target.id)),
      );
      const all = [target, ...same];
      return {
        id: target.id,
        running: all.reduce((sum, { running }) => sum + running, 0),
        breaker: all.find(({ breaker }) => breaker !== 'closed')?.breaker ?? 'closed',
        isEjected: all.some(({ isEjected }) => isEjected),
        isHealthy: all.every(({ isHealthy }) => isHealthy),
      };
    }),
  }));
}
