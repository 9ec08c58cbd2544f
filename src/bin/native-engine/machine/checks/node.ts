import { VERSION } from '../../../../base/index.js';
import { processArguments } from '../../../../base/index.js';
import type { Check, CheckGroup } from '../check.js';

/** The oldest Node that the package takes. */
const LEAST_MAJOR = 20;
/** Flags of V8 that turn off what kernels need, or slow them down. */
const HARMFUL =
  /^--(?:jitless|no-(?:opt|wasm-tier-up|wasm-simd|turbofan)|liftoff-only|wasm-interpret-all|interpreted-frames-native-stack)\b/;

/** Node and the flags that it was started with. */
export const node: CheckGroup = {
  section: 'Node',
  async look({ env }) {
    const { node: version, v8, uv } = process.versions;
    const isOld = Number(version.split('.', 1)[0]) < LEAST_MAJOR;
    const flags = [...processArguments(), ...(env['NODE_OPTIONS'] ?? '').split(/\s+/)].filter((flag) =>
      flag.startsWith('-'),
    );
    const harmful = flags.filter((flag) => HARMFUL.test(flag));
    const checks: Check[] = [
      {
        name: 'version',
        state: isOld ? 'problem' : 'ok',
        text: `${version} (V8 ${v8}, libuv ${uv}); Troupe ${VERSION}`,
        ...(isOld && { advice: `use Node ${LEAST_MAJOR} or newer` }),
      },
      {
        name: 'flags',
        state: harmful.length > 0 ? 'note' : 'ok',
        text: flags.length === 0 ? 'none' : flags.map((flag) => flag.split('=', 1)[0]).join(' '),
        ...(harmful.length > 0 && { advice: `${harmful.join(' ')} makes kernels slow or impossible; start without` }),
      },
    ];
    return checks;
  },
};
