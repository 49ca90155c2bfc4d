const roles = new Set(
  'veteran|nurse|doctor|lawyer|teacher|chef|cook|pilot|plumber|dentist|architect|dev|devops|sre|scientist|analyst|consultant|accountant|pharmacist|therapist|psychologist|physician|surgeon|vet|paramedic|barista|waiter|waitress|bartender|baker|farmer|carpenter|electrician|mechanic|welder|firefighter|policeman|soldier|journalist|writer|author|editor|translator|interpreter|photographer|artist|musician|actor|actress|singer|dancer|designer|developer|engineer|programmer|coder|manager|director|administrator|sysadmin|librarian|professor|lecturer|researcher|postdoc|tutor|coach|trainer|economist|statistician|mathematician|physicist|chemist|biologist|geologist|historian|linguist|philosopher|recruiter|marketer|secretary|receptionist|cashier|clerk|driver|courier|realtor|banker|broker|trader|auditor|paralegal|judge|notary|attorney|solicitor|barrister|midwife|caregiver|nanny|housekeeper|cleaner|janitor|gardener|florist|hairdresser|barber|tailor|jeweler|butcher|fisherman|sailor|captain|astronaut|astronomer|copywriter|blogger|youtuber|streamer|podcaster|filmmaker|producer|animator|illustrator|entrepreneur|founder|cofounder|co-founder|ceo|cto|cfo|coo|cio|ciso|vp|intern|apprentice|freelancer|contractor|social worker|civil servant|product owner|scrum master|team lead|tech lead|lead|head|officer|specialist|assistant|associate|technician|operator|planner|strategist|advisor|adviser|counselor|counsellor|instructor|principal|superintendent|supervisor|foreman|buyer|seller|merchandiser|optician|radiologist|cardiologist|pediatrician|veterinarian|physiotherapist|nutritionist|dietitian|copilot|flight attendant|stewardess|bricklayer|roofer|painter|sculptor|potter|tester'.split(
    '|',
  ),
)

const notRoles =
  /\b(?:admin|root|superuser|owner|moderator|user|customer|member|person|beginner|lover|fan|hater|believer|stranger|supporter|newcomer|learner|sucker|computer|parent|mother|father|vegetarian|vegan|pescatarian|expert|winner|loser|master|creator|foreigner|smoker|drinker|eater|reader|listener|gamer|hiker|runner|swimmer|sleeper|talker|thinker|subscriber|visitor|brother|sister|daughter|human|christian|verified|minor|senior|junior|patient|tourist|pessimist|optimist|perfectionist|realist|minimalist|feminist|atheist|introvert|extrovert|disaster|monster)s?$/i

const suffix =
  /(?:engineer|[^aeiou]er|eer|tor|sor|ist|ician|cian|yst|ect|grapher|ologist|wright|smith|maker|keeper|worker|teacher)$/i
const acronym = /^(?:C[A-Z]O|SVP|EVP|VP|SRE|QA|PM|GP|HR|DBA)$/

/** The job a noun phrase names, without its article; null when it names none. */
export function jobTitle(phrase: string): string | null {
  const title = phrase.replace(/^(?:an?|the|your|one of the) /i, '').trim()
  const words = title.split(' ')
  const head = words.at(-1) ?? ''
  if (title === '' || words.length > 5 || notRoles.test(title)) return null
  if (
    /^(?:big|huge|great|good|bad|total|real|bit|little|lot|better|heavy|fast|slow|light|long|longer|strong|fair)$/i.test(
      words[0] ?? '',
    )
  )
    return null
  const isRole = roles.has(head.toLowerCase()) || roles.has(words.slice(-2).join(' ').toLowerCase())
  if (isRole || acronym.test(head)) return title
  if (/^(?:head|director|vp|dean|chief|secretary) of /i.test(title)) return title
  return head.length > 5 && suffix.test(head) ? title : null
}
