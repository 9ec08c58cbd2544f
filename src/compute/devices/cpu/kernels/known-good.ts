/**
 * Builds of V8 on which the whole suite passed with these kernels and every flag of ours: Node 20.20.2, 22.23.3, 24.22.3 and
 * 26.12.1. Whether a flag ends the process is decided by V8's compiler and the module alone, not by the CPU.
 */
const TESTED = ['11.3.244.8-node.38', '12.4.254.21-node.57', '13.6.233.17-node.53', '14.6.202.34-node.34'].map(toBuild);

/**
 * Whether the kernels need no trial: a tested build on the platform it was tested on, without V8 options of the user's. A
 * later build of the same version of V8 counts as tested: it differs by the fixes that a release line of Node takes in.
 */
export function isKnownGood(v8: string, arch: string, platform: string, v8Options: readonly string[]): boolean {
  const { version, fixes } = toBuild(v8);
  const isTested = TESTED.some((tested) => tested.version === version && tested.fixes <= fixes);
  return isTested && arch === 'x64' && platform === 'linux' && v8Options.length === 0;
}

/** The parts of such as `13.6.233.17-node.53`. `fixes` is NaN in a host that numbers its builds otherwise. */
function toBuild(v8: string): { readonly version: string; readonly fixes: number } {
  const [version = '', fixes] = v8.split('-node.');
  return { version, fixes: Number(fixes) };
}
