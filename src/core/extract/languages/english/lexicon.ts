const set = (words: string): ReadonlySet<string> => new Set(words.split('|'))

export const countries = set(
  'germany|france|spain|italy|portugal|austria|switzerland|poland|netherlands|the netherlands|belgium|denmark|sweden|norway|finland|iceland|ireland|scotland|wales|england|the uk|uk|united kingdom|the united kingdom|the us|us|usa|the usa|the states|united states|the united states|canada|mexico|brazil|argentina|chile|peru|colombia|japan|china|south korea|korea|india|pakistan|bangladesh|indonesia|vietnam|thailand|malaysia|singapore|philippines|the philippines|australia|new zealand|south africa|kenya|nigeria|ghana|egypt|morocco|turkey|greece|romania|bulgaria|hungary|croatia|serbia|slovenia|slovakia|ukraine|russia|estonia|latvia|lithuania|israel|iran|iraq|saudi arabia|czechia|the czech republic|luxembourg|malta|cyprus|taiwan|nepal|sri lanka|ethiopia|tunisia|cuba|ecuador|bolivia|uruguay|venezuela|costa rica',
)

/** Regions of countries. A home region and a home city do not compete, so they have different claim keys. */
export const regions = set(
  'alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|west virginia|wisconsin|wyoming|ontario|quebec|british columbia|alberta|bavaria|saxony|hesse|brandenburg|tuscany|sicily|catalonia|andalusia|brittany|normandy|provence|cornwall|yorkshire|kent|queensland|new south wales|tasmania|punjab|kerala|tyrol|styria|the bay area|new england|the midwest|scotland|wales',
)

export const nationalities = set(
  'german|french|spanish|italian|portuguese|austrian|swiss|polish|dutch|belgian|danish|swedish|norwegian|finnish|icelandic|irish|scottish|welsh|english|british|american|canadian|mexican|brazilian|argentinian|argentine|chilean|peruvian|colombian|japanese|chinese|korean|indian|pakistani|indonesian|vietnamese|thai|malaysian|singaporean|filipino|australian|kenyan|nigerian|ghanaian|egyptian|moroccan|turkish|greek|romanian|bulgarian|hungarian|croatian|serbian|slovenian|slovak|ukrainian|russian|estonian|latvian|lithuanian|israeli|iranian|iraqi|czech|taiwanese|nepali|ethiopian|cuban|european|african|latina|latino|south african',
)

export const spokenLanguages = set(
  'english|german|french|spanish|italian|portuguese|polish|dutch|danish|swedish|norwegian|finnish|icelandic|irish|welsh|japanese|chinese|mandarin|cantonese|korean|hindi|urdu|bengali|tamil|telugu|punjabi|marathi|gujarati|indonesian|malay|vietnamese|thai|tagalog|turkish|greek|romanian|bulgarian|hungarian|croatian|serbian|slovenian|slovak|ukrainian|russian|estonian|latvian|lithuanian|hebrew|arabic|persian|farsi|czech|swahili|amharic|catalan|basque|latin|esperanto|yoruba|zulu|afrikaans|flemish|nepali',
)

export const editors = set(
  'vim|neovim|nvim|emacs|doom emacs|vs code|vscode|visual studio code|visual studio|intellij|intellij idea|pycharm|webstorm|goland|rider|sublime|sublime text|zed|helix|nano|cursor|xcode|android studio|eclipse|notepad++|kate|atom|rubymine|phpstorm|clion',
)
export const browsers = set(
  'firefox|chrome|google chrome|safari|brave|edge|microsoft edge|opera|vivaldi|arc|chromium|librewolf|tor browser|zen browser',
)
export const shells = set('bash|zsh|fish|fish shell|powershell|nushell|ksh|oh my zsh')
export const packageManagers = set('npm|pnpm|yarn|bun|pip|poetry|uv|conda|homebrew|cargo|maven|gradle')
export const programmingLanguages = set(
  'javascript|typescript|python|java|go|golang|rust|c|c++|c#|ruby|php|swift|kotlin|scala|haskell|elixir|erlang|clojure|lua|perl|r|julia|dart|ocaml|f#|zig|elm|cobol|fortran|sql|bash|matlab|objective-c|lisp|scheme|prolog',
)
export const systems =
  /^(?:an? |my )?(?:(?:arch|ubuntu|debian|fedora|mint|gentoo|manjaro|nix|alpine|red hat|opensuse|kali|pop)(?:[ _!]?os)?(?: linux)?|linux|linux mint|windows(?: \d+| xp)?|mac|macs|macos|mac os|os x|macbook(?: pro| air)?|imac|chrome ?os|chromebook|ios|android|free ?bsd)(?: [\d.]+| \w+)?$/i

const technologies = set(
  'postgres|postgresql|mysql|sqlite|mongodb|redis|kafka|rabbitmq|elasticsearch|kubernetes|k8s|docker|podman|terraform|ansible|jenkins|gitlab|github|github actions|bitbucket|jira|confluence|notion|slack|linear|asana|trello|figma|sketch|photoshop|illustrator|blender|excel|word|powerpoint|google docs|google sheets|react|vue|angular|svelte|next.js|nextjs|nuxt|django|flask|fastapi|rails|ruby on rails|laravel|spring|spring boot|express|node|node.js|nodejs|deno|aws|azure|gcp|google cloud|heroku|vercel|netlify|cloudflare|datadog|grafana|prometheus|sentry|tableau|power bi|snowflake|databricks|spark|airflow|dbt|pandas|numpy|pytorch|tensorflow|git|svn|webpack|vite|tailwind|bootstrap|graphql|obsidian|evernote|zoom|teams|microsoft teams|discord|telegram|whatsapp|signal|signal messenger|salesforce|hubspot|sap|stripe|shopify|wordpress|webflow|unity|unreal|godot|arduino|raspberry pi|latex|chatgpt|claude|copilot|ableton|logic pro|lightroom|premiere|quickbooks|todoist|1password|bitwarden|nginx|apache|argo|argocd|helm|circleci|playwright|cypress|jest|storybook|zapier|airtable|miro|protonmail|gmail|outlook|spotify|nix|tmux|css|html|sass',
)

const instruments = set(
  'piano|guitar|bass|bass guitar|electric guitar|drums|violin|viola|cello|flute|clarinet|saxophone|sax|trumpet|trombone|harp|ukulele|banjo|accordion|organ|keyboard|harmonica|oboe|recorder|double bass|mandolin|synth',
)

export const isInstrument = (word: string) => instruments.has(word.toLowerCase())

const knownTools = [technologies, programmingLanguages, editors, browsers, shells, packageManagers]

export const isKnownTool = (text: string) => knownTools.some((known) => known.has(text.toLowerCase()))

/** Whether a text names a tool: a known one in any spelling, or a capitalised name. */
export function isTool(text: string): boolean {
  if (isKnownTool(text)) return true
  const isNamed = /^\p{Lu}[\p{L}\p{N}+#.-]*(?: [\p{Lu}\p{N}][\p{L}\p{N}+#.-]*){0,2}$/u.test(text)
  return isNamed && !spokenLanguages.has(text.toLowerCase())
}
