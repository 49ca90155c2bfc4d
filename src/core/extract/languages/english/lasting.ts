/** What one wants for longer than a task lasts. "I want to cancel my order" is a request, not a goal. */
const undertakings: readonly string[] = [
  // Becoming somebody, and knowing something.
  'learn(?:ing)?|becom(?:e|ing)|master(?:ing)?|teach(?:ing)? myself|graduat(?:e|ing)|study(?:ing)? (?!for the next)',
  'improv(?:e|ing) my|finish(?:ing)? my (?:degree|book|thesis|phd|novel|masters?)|go(?:ing)? (?:back )?to (?:college|university|school|med school|law school)',
  'do(?:ing)? (?:a|my) (?:phd|masters?|marathon|triathlon|handstand)|play(?:ing)? (?:the )?(?:piano|guitar|violin|drums)',
  'read(?:ing)? (?:\\d+|more|all)|be(?:ing)? an? \\w+|work(?:ing)? (?:with|as) \\w+',
  // Places.
  'visit(?:ing)?|travel(?:ling|ing)?|mov(?:e|ing) to|liv(?:e|ing) (?:in|abroad)|work(?:ing)? (?:abroad|part-time|less)',
  'climb(?:ing)?|hik(?:e|ing) the|see(?:ing)? the (?:northern lights|world)',
  // The body.
  'los(?:e|ing) (?:weight|\\d+|some weight|a few)|gain(?:ing)? (?:weight|muscle|\\d+)|run(?:ning)? (?:an?|my first|\\d)',
  'get(?:ting)? (?:better|fit|fitter|in shape|healthier|stronger)|quit(?:ting)?|stop(?:ping)? \\w+ing|cut(?:ting)? down',
  'eat(?:ing)? (?:less|more|healthier|better)|drink(?:ing)? (?:less|more)|exercis(?:e|ing)|sleep(?:ing)? (?:more|better)',
  // Work and money.
  'start(?:ing)? (?:an?|my own|our own|running|meditating|a family|learning|working out|exercising)|open(?:ing)? (?:an?|my own|our own)',
  'build(?:ing)? (?:an? (?:house|cabin|business|company|startup|boat|app|home|career|robot|game)|my own)',
  'writ(?:e|ing) (?:an?|my) (?:\\w+ )?(?:book|novel|thesis|memoir|blog|screenplay|album|dissertation|cookbook)',
  'launch(?:ing)?|publish(?:ing)? (?:an?|my)|found(?:ing)? (?:an?|my)|grow(?:ing)? (?:my|our|a)|retir(?:e|ing)',
  'switch(?:ing)? careers|chang(?:e|ing) (?:careers|jobs)|sav(?:e|ing)|pay(?:ing)? off|spend(?:ing)? (?:less|more)',
  'buy(?:ing)? (?:an?|my|our) |own(?:ing)? (?:an?|my)|renovat(?:e|ing)',
  // Life.
  'get(?:ting)? (?:married|promoted|certified|an? (?:degree|dog|cat|second|tattoo|new job|promotion|driver|licen[sc]e|pet|phd|masters?)|my (?:degree|licen[sc]e|phd))',
  'adopt(?:ing)? (?:an?|another)|have (?:kids|a baby|children|a family)',
]

export const lasting = new RegExp(`^(?:${undertakings.join('|')})\\b`, 'iu')
