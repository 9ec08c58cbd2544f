/** The line that a trial's process writes when its code is loaded: what ends it before says nothing of the kernels. */
export const BEGUN = '{"begun":true}';
