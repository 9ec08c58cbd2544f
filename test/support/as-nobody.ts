// Processes that may not write everywhere, also where the tests run as root.

const drop = 'if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }';

/** Arguments of node with which a process has no privileges: none where it has none anyway. */
export const nobodyArguments: readonly string[] =
  process.getuid?.() === 0 ? ['--import', `data:text/javascript,${encodeURIComponent(drop)}`] : [];
