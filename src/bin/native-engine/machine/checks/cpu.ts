import { readFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, platform, release } from 'node:os';
import { usableCores } from '../../../../base/index.js';
import type { CheckGroup } from '../check.js';

/** Features that decide how fast kernels are, as Linux names them: x86-64, then ARM. */
const FEATURES = [
  ['sse4_1', 'avx', 'avx2', 'fma', 'f16c', 'avx_vnni', 'avx512f', 'avx512_vnni', 'amx_int8'],
  ['asimd', 'asimdhp', 'asimddp', 'i8mm', 'sve'],
].flat();

/** The processor: model, features, cores that this process may use. */
export const cpu: CheckGroup = {
  section: 'CPU',
  async look() {
    const info = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
    const flags = new Set((/^(?:flags|Features)\s*:\s*(.*)$/m.exec(info)?.[1] ?? '').split(/\s+/));
    const found = FEATURES.filter((feature) => flags.has(feature));
    const [model] = cpus().map((each) => each.model.trim());
    const usable = usableCores();
    const [all, online] = [cpus().length, availableParallelism()];
    const why = usable < online ? ', by the CPU quota of this container' : ', by the affinity of this process';
    return [
      { name: 'model', state: 'ok', text: `${model || 'unknown'} (${arch()}, ${platform()} ${release()})` },
      found.length === 0
        ? { name: 'features', state: 'ok', text: 'the system does not tell' }
        : { name: 'features', state: 'ok', text: found.join(' ') },
      { name: 'cores', state: 'ok', text: `${usable}${usable < all ? ` of ${all}${why}` : ''}` },
    ];
  },
};
