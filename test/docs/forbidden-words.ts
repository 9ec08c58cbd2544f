/** Words that speak of machines as of persons, with what to say. No comment and no document has them. */
export const personWords: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/i, 'the client, the caller, or what acts'],
  [/\bnobody\b/i, 'no client, or no process'],
  [/\b(?:is|are) told\b(?! apart)/i, 'receives, or reads'],
  [/\bhears\b/i, 'receives'],
  [/\bcomes to be\b/i, 'is created'],
  [/\bstands in\b/i, 'replaces, or is in'],
];

/** Words that this project once gave things that the field has a word for, with that word. Readers' documents have none. */
export const forbiddenWords: ReadonlyMap<RegExp, string> = new Map([
  [/\b(?:memory )?banks?\b/i, 'memory segment'],
  [/\bbands?\b/i, 'column panels'],
  [/\b(?:fused|one|a|each|every) pass(?:es)?\b/i, 'fused op'],
  [/\b(?:compute|compiled|fused) programs?\b/i, 'compute graph'],
  [/\b(?:work )?claims?\b|\bclaimed\b/i, 'work chunk'],
  [/\bteams?\b/i, 'thread group'],
  [/\bpatience\b/i, 'spin budget'],
  [/\bguess(?:es|ed|ing)?\b/i, 'draft tokens'],
  [/\bmatch chances\b/i, 'acceptance rates'],
  [/\btext places\b/i, 'prompt lookup'],
  [/\bflights?\b(?<!in-flight)/i, 'in-flight request'],
  [/\bwaiting rooms?\b/i, 'admission queue'],
  [/\blaws?\b/i, 'rule or invariant'],
  [/\bhouses?\b/i, 'module or repository'],
  [/\brooms\b|\b(?:this|that|each|another|every) room\b/i, 'module'],
  [/\bshel(?:f|ves)\b/i, 'registry'],
  [/\bdoors?\b/i, 'entry'],
  [/\bcompany of\b/i, 'supervised threads'],
  ...personWords,
]);
