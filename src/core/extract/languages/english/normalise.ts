const full: Readonly<Record<string, string>> = {
  "i'm": 'I am',
  im: 'I am',
  "i've": 'I have',
  ive: 'I have',
  "i'd": 'I would',
  "i'll": 'I will',
  i: 'I',
  "we're": 'we are',
  "we've": 'we have',
  "we'd": 'we would',
  "we'll": 'we will',
  "don't": 'do not',
  dont: 'do not',
  "doesn't": 'does not',
  doesnt: 'does not',
  "didn't": 'did not',
  didnt: 'did not',
  "can't": 'can not',
  cant: 'can not',
  cannot: 'can not',
  "couldn't": 'could not',
  "won't": 'will not',
  wont: 'will not',
  "isn't": 'is not',
  isnt: 'is not',
  "aren't": 'are not',
  "wasn't": 'was not',
  wasnt: 'was not',
  "weren't": 'were not',
  "haven't": 'have not',
  havent: 'have not',
  "hasn't": 'has not',
  "wouldn't": 'would not',
  "shouldn't": 'should not',
  "it's": 'it is',
  "that's": 'that is',
  "what's": 'what is',
  whats: 'what is',
  "where's": 'where is',
  "let's": 'let us',
  "name's": 'name is',
  "there's": 'there is',
  wanna: 'want to',
  gonna: 'going to',
  gotta: 'have to',
  pls: 'please',
  plz: 'please',
  fav: 'favourite',
  fave: 'favourite',
  favorite: 'favourite',
  bday: 'birthday',
  cuz: 'because',
  coz: 'because',
  "'cause": 'because',
  kinda: 'kind of',
  sorta: 'sort of',
  prolly: 'probably',
  probs: 'probably',
  rly: 'really',
  luv: 'love',
  mum: 'mom',
  definately: 'definitely',
  alergic: 'allergic',
  vegitarian: 'vegetarian',
  prefere: 'prefer',
  preffer: 'prefer',
  specialise: 'specialize',
  favour: 'prefer',
  favourites: 'favourite',
  faves: 'favourite',
  favs: 'favourite',
  favorites: 'favourite',
  an: 'an',
  nope: 'no',
  yep: 'yes',
  yeah: 'yes',
  yup: 'yes',
}

const shortened = new RegExp(
  `(?<![\\p{L}\\p{N}'.@/-])(?:${Object.keys(full)
    .sort((a, b) => b.length - a.length)
    .join('|')})(?![\\p{L}\\p{N}'@/+-])`,
  'giu',
)

/** Expands contractions and corrects common misspellings, so that rules need one spelling. */
export function normalise(sentence: string): string {
  return sentence
    .replace(shortened, (word) => full[word.toLowerCase()] ?? word)
    .replace(/\b(I|we) have got\b/gi, '$1 have')
    .replace(/\bI'(?:am|m)\b/gi, 'I am')
}

const opener =
  /^(?:(?:oh|ok|okay|well|so|and|but|also|plus|yes|yea|hey|hi|hello|hi there|hello there|hey there|sorry|oops|btw|by the way|fyi|actually|honestly|frankly|tbh|to be honest|to be fair|personally|basically|anyway|anyways|right|sure|now|currently|today|nowadays|these days|lately|recently|for me|for the record|for context|for reference|for your information|for what it is worth|just so you know|so you know|as you know|as i said|as i mentioned|like i said|just to clarify|to clarify|quick note|small update|update|correction|note|reminder|one more thing|another thing|in fact|of course|unfortunately|sadly|luckily|fortunately|thankfully|turns out|it turns out|fun fact|if it helps|if that helps|in case it helps|in case it matters|lol|haha|hmm|um|uh|ah|great|nice|cool|thanks|thank you|i should mention|i should add|i must say|i have to say|i would say|i have to admit|i must admit|i admit|i told you|i said|i mean|i meant|i also want to say|you should know|you should also know|you know|keep in mind|bear in mind|do not forget|never forget|remember|note|please remember|please note|please keep in mind|please do not forget|can you remember|make a note|let me add|because|since|no(?=,|\.|!| i\b| my\b)|for my hobby|as a hobby|in my free time|in my spare time|on weekends|on the weekend|at home|at work|ps|p\.s|as for me|one day|someday|again|then|still|while)(?: that)?[,:!.]* +)/i

const hedge =
  /^(?:maybe|perhaps|possibly|probably|i think|i guess|i believe|i suppose|i feel like|i am pretty sure|i am not sure but|not sure but|it seems|it seems like|apparently|i am thinking)(?: that)?,? +/i
const innerHedge =
  /^(I|we) (?:probably|maybe|possibly|kind of|sort of|might|may|perhaps|could|might also|may also|guess i) +(?=\S)/i
const innerEmphasis =
  /^(I|we)( am| are| do not| have| would)? (?:really|absolutely|just|also|actually|still|currently|now|definitely|totally|personally|truly|simply|particularly|especially|strongly|much|recently|generally|honestly|completely|seriously|very much|always really|mostly|genuinely|only|already|all) +(?=\S)/i

/** Removes introductory words from a clause, and reports whether they hedge it. */
export function openClause(clause: string): { readonly text: string; readonly isHedged: boolean } {
  let text = clause.trim()
  let isHedged = false
  // A limit for clauses that consist of introductory words only.
  for (let layer = 0; layer < 10; layer++) {
    const open = text.replace(opener, '')
    const plain = open.replace(hedge, '').replace(innerHedge, '$1 ')
    if (plain !== open) isHedged = true
    const next = plain.replace(innerEmphasis, '$1$2 ')
    if (next === text) break
    text = next
  }
  return { text, isHedged: isHedged || /,? (?:i think|i guess|i suppose|maybe|probably|perhaps|not sure)$/i.test(text) }
}
