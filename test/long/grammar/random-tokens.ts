/** Whether a mask allows a token. */
export function isIn(mask: Uint32Array, id: number): boolean {
  return (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;
}

/** One of the tokens of a mask, each as likely as the others. */
export function pickToken(mask: Uint32Array, random: () => number): number {
  let count = 0;
  for (let word = 0; word < mask.length; word++) count += countBits(mask[word] as number);
  let place = Math.floor(random() * count);
  for (let word = 0; word < mask.length; word++) {
    let bits = mask[word] as number;
    const own = countBits(bits);
    if (place >= own) {
      place -= own;
      continue;
    }
    for (; place > 0; place--) bits &= bits - 1;
    return 32 * word + 31 - Math.clz32(bits & -bits);
  }
  throw new Error('a mask allows a token');
}

/** Source: Warren, Hacker's Delight, 5-1. */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
