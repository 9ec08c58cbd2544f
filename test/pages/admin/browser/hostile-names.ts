// Names that try to run script, to load from elsewhere or to leave their place in a page.

/** What each does, where it is read as markup. `@` stands for what it does. */
const TAGS: readonly string[] = [
  '<script>@</script>',
  '<img/src=x/onerror=@>',
  '<svg/onload=@>',
  '<svg><script>@</script></svg>',
  '<iframe/srcdoc="<script>parent.@</script>">',
  '<iframe/src=javascript:@>',
  '<body/onload=@>',
  '<details/open/ontoggle=@>',
  '<input/autofocus/onfocus=@>',
  '<video><source/onerror=@></video>',
  '<a/href=javascript:@>click</a>',
  '<form/action=javascript:@><button>click</button></form>',
  '<math><mi/href="javascript:@">click</mi></math>',
  '<object/data=javascript:@>',
  '<embed/src=javascript:@>',
  '<style>@import"//elsewhere.example"</style>',
  '<link/rel=stylesheet/href=//elsewhere.example>',
  '<base/href=//elsewhere.example/>',
  '<meta/http-equiv=refresh/content=0;url=//elsewhere.example>',
  '<template><script>@</script></template>',
];

/** What comes before: the end of where a name may stand. */
const ENDS: readonly string[] = [
  '',
  '">',
  "'>",
  '</textarea>',
  '</title>',
  '</option></select>',
  '-->',
  ']]>',
  '`>',
  '${@}',
];

/** 200 names in one line, without spaces, which even ids of models may be. */
export const hostileNames: readonly string[] = TAGS.flatMap((tag) =>
  ENDS.map((end) => `${end}${tag}`.replaceAll('@', 'window.hacked=1').replaceAll('window.hacked=1import', '@import')),
);
