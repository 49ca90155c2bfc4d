/** Sentences that are not statements of the user. Tested after contractions are expanded. */
export const nonStatement = new RegExp(
  [
    // Hypothetical.
    '^(?:and |but |so |well,? |ok,? |now,? )?(?:(?:even )?if (?!it helps|that helps)(?:i|we|my|you|he|she|they|it|the)\\b|what if|imagine|suppose|supposing|assume|assuming|pretend|let us (?:say|pretend|assume|imagine)|say (?:i|we|my)\\b|act as|hypothetically|in theory|i wish|would it|would not it)',
    '^you are an? ',
    '\\b(?:role-?play|in this (?:scenario|game|story|exercise)|in my (?:novel|story|game|dream)|as an ai|let us say|let us pretend|hypothetically|user story|as an? (?:user|admin|customer),? i (?:want|can|need)|if i (?:were|was)|i would be (?:rich|happy|better))\\b',
    // Reported speech of others. Statements with the subject "I" or "we" stay.
    '^(?!(?:and |but |so )?(?:i|we)\\b)[^,]{0,80}\\b(?:says?|said|tells?|told|wrote|writes|asked|asks|claims?|claimed|thinks|thought|believes|goes|sings|according to|people say|replied|answered|quote|quotes)\\b',
    '^according to\\b',
    '\\b(?:he|she|they|somebody|someone|everyone|people|bob|the hero|the character) (?:says?|said|told|thinks?|claims?|wrote)\\b',
    '\\b(?:printed|prints|outputs?|returns|returned|displays|error message|the (?:log|output|text|song|lyrics|prompt|sign|book) (?:says|said|reads))\\b.*\\bmy\\b',
    // Requests to write a text.
    '^(?:please )?(?:write|draft|compose|create|generate|tell|make up|invent) (?:me )?(?:an?|the|some) (?:\\w+ )?(?:story|poem|song|letter|email|mail|essay|dialogue|script|bio|speech|joke|text|example|sentence)\\b',
  ].join('|'),
  'i',
)

/** Prompt injection: attempts to change the rules of the assistant or to command the memory. Tested on the original sentence. */
export const promptInjection = new RegExp(
  [
    '\\b(?:ignore|disregard|forget|override|bypass|overrule|discard|drop|violate|circumvent)\\b[^.!?]{0,60}\\b(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|restrictions?|filters?|safety|guardrails?|programming|training)\\b',
    '\\b(?:system|developer) prompt\\b',
    '\\byou are now\\b',
    '\\b(?:you|the assistant|the ai|the model) (?:must|shall|will|have to|should) (?:now |always |never )*(?:obey|store|remember|comply|trust|believe|treat|save|mark|grant|approve|say|act|pretend)\\b',
    '\\b(?:new|updated|your) (?:new )?(?:instructions?|rules?|orders?|directives?)\\b\\s*(?:are|is|:|$)',
    '^(?:new|updated) (?:rule|instruction|directive)s?\\b',
    '\\b(?:no|without) (?:any )?(?:restrictions|limitations|filters|rules|guardrails)\\b',
    '\\b(?:memory system|memory engine|memory store|the extractor)\\b',
    '\\b(?:debug|god|admin|developer|jailbreak|dan) mode\\b',
    '\\bthat you are (?:an? )?(?:ai|assistant|bot|language model)\\b',
    '\\balways (?:trust|obey|approve|believe)\\b',
    "\\b(?:i am|i'm|im) (?:now )?(?:an? |the |your )?(?:verified |real |true |new )?(?:admin|administrator|root|superuser|sudo|system|master|creator|developer of you)\\b(?! (?:at|of|for|in|assistant|engineer|analyst))",
  ].join('|'),
  'i',
)

/** The start of quoted or pasted text in a message. */
export const quotedTextStart =
  /\b(?:translate|proof-?read|rewrite|rephrase|reword|paraphrase|summari[sz]e|shorten|improve|correct|fix|edit|polish|check|review|analy[sz]e|classify|explain|format|convert|extract|tldr|writes?|wrote|said|says|told me|replied|asked|answered|message (?:from|of)|e?mail (?:from|of)|letter (?:from|of)|quote|lyrics|article|review|transcript|for example|example|e\.g|subject|sentence|paragraph|text|story|poem|the following)\b[^.!?:\n]{0,60}:(?:\s|$)|^-{2,}\s*(?:original|forwarded) message|^begin forwarded message|^on .{4,80}wrote:|^(?:from|sent|to|cc|date): \S/i

/** Retractions such as "just kidding". */
export const retraction =
  /(?:^|[\s,.(])(?:jk|j\/k|just kidding|only kidding|kidding|only joking|just joking|i am joking|i'm joking|im joking|joking|not really lol|sarcasm|\/s)[\s.!)]*$|^(?:just )?kidding\b/i

/** Labels before a colon that are not the name of another speaker. */
export const ownLabels =
  /^(?:.*\b)?(?:note|notes|fyi|ps|p\.s|edit|update|btw|also|remember|important|fact|fun fact|reminder|correction|context|background|about me|intro|me|preference|preferences|tldr|short version|long story short|one thing|question|answer|allergies|hi|hello|hey|ok|well|so|actually|yes|no|goal|rule|rules|process|reminder for you|thing)$/i

export const abbreviations: ReadonlySet<string> = new Set(
  'e.g|i.e|eg|ie|etc|vs|mr|mrs|ms|dr|prof|st|sr|jr|approx|ca|no|nr|fig|inc|ltd|co|corp|dept|est|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mt|ft|min|max|a.m|p.m|u.s|u.k|ph.d|ave|blvd|rd'
    .split('|')
    .filter((word) => word !== 'no'),
)
