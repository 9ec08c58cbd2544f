import { MAX_PENALTY, parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';
import { suffixRepeats } from '../suffix-repeats.js';

/**
 * DRY, "don't repeat yourself": takes multiplier × base^(length − allowedLength) from the logit of a token that would
 * continue a repetition of the text's last `length` tokens, the longest counting. A repetition does not extend across a
 * sequence breaker, and breakers are never penalised. Source: p-e-w 2024
 * (github.com/oobabooga/text-generation-webui/pull/5677), with llama.cpp's window and breakers.
 */
export const dry = createSampler({
  parameters: {
    dry: {
      multiplier: parameter({ neutral: 0, min: 0, max: MAX_PENALTY }),
      base: parameter({ neutral: 1.75, min: 1, max: MAX_PENALTY }),
      allowedLength: parameter({ neutral: 2, whole: true, min: 0 }),
      penaltyLastN: parameter({ neutral: -1, whole: true, min: -1, note: '-1 is all' }),
    },
  },
  isOff: ({ sampling: { dry: settings } }) => settings.multiplier === 0 || settings.penaltyLastN === 0,
  apply({ row, tally }, { sampling, tokenIds, breakers }) {
    const { multiplier, base, allowedLength, penaltyLastN } = sampling.dry;
    const from = penaltyLastN < 0 ? 0 : Math.max(0, tokenIds.length - penaltyLastN);
    if (tokenIds.length - from <= allowedLength) return;
    let reach = 0;
    while (reach < tokenIds.length - from && !breakers.has(tokenIds[tokenIds.length - 1 - reach] as number)) reach++;
    if (reach < allowedLength) return;

    tally.clear();
    const repeats = suffixRepeats(tokenIds, from);
    for (let i = 0; i < repeats.length; i++) {
      const length = Math.min(repeats[i] as number, reach);
      // Counted from 1, since 0 means no position at all.
      if (length >= allowedLength) tally.raise(tokenIds[from + i + 1] as number, length + 1);
    }
    for (let i = 0; i < tally.numDistinct; i++) {
      const id = tally.distinct[i] as number;
      const excess = (tally.counts[id] as number) - 1 - allowedLength;
      if (!breakers.has(id)) row.set(id, row.get(id) - multiplier * base ** excess);
    }
  },
});
