import { installPython } from './python-packages.js';

/** What clients in Python are tried with. */
const PACKAGES = ['openai==3.57.0', 'anthropic==2.14.0', 'ollama==0.6.3'];

/** One Python for all of them, or why there is none. */
export const pythonClients = await installPython(PACKAGES);

/** The end of a test's name. */
export const whyNoPython = 'reason' in pythonClients ? ` (skipped: ${pythonClients.reason})` : '';

/** The Python that has them; empty where it cannot be installed. */
export const python = 'python' in pythonClients ? pythonClients.python : '';
