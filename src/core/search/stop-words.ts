/** Stop words. The index keeps them, so that phrases can be matched; queries drop them. */
const words = `
a about above across after again against all almost alone along already also although always am among an and another any anybody
anyone anything anywhere are aren't around as at away back be became because become been before behind being below between both but by came can
can't cannot come could couldn't did didn't do does doesn't doing don't done down during each either else enough etc even ever every
everybody everyone everything everywhere few first for from further get gets getting given gives go goes going gone got had hadn't has
hasn't have haven't having he he'd he'll he's hello her here hers herself hi hey him himself his how however i i'd i'll i'm i've if in indeed instead
into is isn't it it'd it'll it's its itself just keep kind last least less let let's lot lots made make makes many may maybe me might mine
more most much must my myself near need neither never next no nobody none nor not nothing now of off often oh ok okay on once one ones only
onto or other others our ours ourselves out over own per perhaps please quite rather really regarding said same say says see seem
seemed seems seen several she she'd she'll she's should shouldn't since so some somebody someone something sometimes somewhere still such
take taken tell than that that's the their theirs them themselves then there there's these they they'd they'll they're they've thing
things this those though through thus to together too toward towards under until up upon us use used uses using various very via want
wants was wasn't way we we'd we'll we're we've well went were weren't what what's whatever when whenever where whether which while who who's whoever
whole whom whose why will with within without won't would wouldn't yeah yes yet you you'd you'll you're you've your yours yourself yourselves
according currently ago like likely likes liked mention mentioned describe described specific certain`

/** English stop words without apostrophes. */
export const stopWords: ReadonlySet<string> = new Set(
  words
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll("'", '')),
)
