/** The line that a trial's process writes when its code is loaded: an earlier end proves nothing about the kernels. */
export const BEGUN = '{"begun":true}';
