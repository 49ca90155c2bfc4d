/** Words that carry nothing of what is said. Texts that differ only in these say the same. Short on purpose: "too", "just" and "still" do. */
export const lightWords: ReadonlySet<string> = words(
  'a an the really very also indeed please oh hey hi hello ok okay yeah der die das ein eine einen einem einer sehr wirklich auch bitte',
)

/** Words whose person depends on who says them: two writers who say "I prefer tea" state two different things. */
export const personalWords: ReadonlySet<string> = words(
  `i me my mine myself we us our ours ourselves you your yours yourself i'm i've i'll i'd we're we've we'll we'd you're you've you'll you'd
   ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem du dich dir dein deine deinen deinem ihr euch euer eure`,
)

/** Words whose date depends on when they are said: "today" on two days is two dates. */
export const datedWords: ReadonlySet<string> = words(
  `today tonight tomorrow yesterday now just recently currently lately soon ago last next this upcoming already still again later earlier
   heute gestern morgen jetzt gerade neulich bald letzte letzten letzter letztes nächste nächsten nächster nächstes diese diesen dieser dieses
   schon wieder noch später früher übermorgen vorgestern`,
)

/** Months and days of the week: with figures, they are what a correction corrects. */
export const calendarWords: ReadonlySet<string> = words(
  `january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday
   sunday januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag`,
)

/** The words that announce a correction, at the start of a text. */
export const correctionCue = /^(?:correction|actually|korrektur|berichtigung|tatsächlich)\s*(?:[:,–—-])\s*/iu

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}
