import type { LanguageData } from './language-data.ts'

export const german: LanguageData = {
  code: 'de',
  stopWords: `
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin bis bist da dadurch daher
damit dann daran darauf darin darum das dass dein deine deinem deinen deiner dem den denn der deren des deshalb dessen dich die dies diese diesem diesen
dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure fur gegen hab habe haben hat hatte hatten hier
hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jener jetzt kann kein keine keinem keinen
keiner konnen konnte mal man manche mein meine meinem meinen meiner mich mir mit mochte muss nach nachdem nein nicht nichts noch nun nur ob oder ohne
sehr seid sein seine seinem seinen seiner seit sich sie sind so solche soll sollen sollte sondern sonst uber um und uns unser unsere unter viel vom von
vor wann war waren warst warum was weg weil weiter welche welchem welchen welcher welches wenn wer werde werden wie wieder wieviel will wir wird wirst
wo woher wohin wollen wollte wurde wurden zu zum zur zwar zwischen gerade schon immer heute gern gerne`,
  ambiguous: 'also am an bin den des die dies dir er hat hier hin in ins ja mal man nun ob so um war was weg will',
  letters: 'äöüß',
  spellings: 'ß ss; ae a; oe o; ue u',
  irregular: `
gehen geht ging gingen gegangen; sein bist ist sind war waren gewesen; haben hast hat hatte hatten gehabt; fahren fahrt fuhr fuhren gefahren;
essen isst ass assen gegessen; trinken trank tranken getrunken; sprechen spricht sprach sprachen gesprochen; lesen liest las gelesen; sehen sieht sah sahen gesehen;
geben gibt gab gaben gegeben; nehmen nimmt nahm nahmen genommen; kommen kam kamen gekommen; finden fand fanden gefunden; bleiben blieb blieben geblieben;
schreiben schrieb schrieben geschrieben; treffen trifft traf trafen getroffen; helfen hilft half geholfen; wissen weiss wusste gewusst; bringen brachte gebracht;
denken dachte gedacht; kennen kannte gekannt; heissen hiess geheissen; ziehen zog zogen gezogen; fliegen flog flogen geflogen; schlafen schlaft schlief geschlafen;
laufen lauft lief liefen gelaufen; tragen tragt trug getragen; werden wird wurde wurden geworden; verlieren verlor verloren; beginnen begann begonnen;
schwimmen schwamm geschwommen; singen sang gesungen; steigen stieg gestiegen; sterben starb gestorben; wachsen wachst wuchs gewachsen; gut besser beste; viel mehr meiste;
mutter mama mutti; vater papa vati; grossmutter oma; grossvater opa; kind kinder kindern; mann manner mannern`,
  prefixes: 'ge',
  endings: ['innen in', 'ern em en er es e s n', 'test tet ten te est st t er en'],
  restMin: 4,
  compounds: {
    links: 's es n en er e',
    parts: `
abend adresse amt anschluss antrag anzug apfel arbeit arbeiter arm arzt arztin auge ausweis auto bad bahn ball bank bau baum beruf berg besuch bett bier bild
blume boden boot brief brille brot bruder brucke buch buro bus dach dienst dorf eis eltern essen fahrt fahrrad familie farbe feier feld fenster ferien fest feuer
film finger firma fisch flasche fleisch flug flughafen fluss form foto frau frei freund freundin fuhrer fuss garten gast geburt geld gemuse geschaft geschenk
gesundheit glas grippe gruppe haar hafen hand handel haus heft heim herz hilfe hof holz hose hotel hund hut insel jahr jacke kaffee karte kase katze keller kette
kind kinder kirche klasse kleid klinik koch konto kopf kosten kraft kranken kranker krankheit kuche kuchen kunst kurs lampe land lauf leben lehrer lehrerin leiter licht lied
luft maler mann markt maschine meister messe messer milch mittag monat morgen mutter nacht name nummer obst ort papier park partner pass pferd pflege plan platz post
preis programm prufung rad recht regen reise ring rock sache saft salat salz schein schiff schlaf schloss schlussel schmerz schmerzen schmuck schnee schrank schuh schuhe schule
schuler schutz schwester see seite sommer sonne spiel spieler sport sprache stadt stein stelle stern steuer stoff stoffe strasse stuck student stuhl stunde suppe tag tante tasche tasse tee
telefon termin test theater tier tisch tochter topf tur uhr unfall urlaub vater verein verkehr versicherung vertrag vogel wagen wald wand wasser wechsel weg wein
welt werk wetter winter woche wohnung wolle wort zahl zahn zeit zeitung zelt zeug zeugnis zimmer zucker zug`,
  },
  nicknames: `
johannes hans hannes johann; elisabeth lisa elise sissi liesl; maximilian max; alexander alex sascha; katharina kathi kathrin katja; margarete greta gretel; josef sepp jupp;
friedrich fritz; wilhelm willi; heinrich heinz heiner; georg schorsch; ulrich uli; michael michi; andreas andi; christian chris; christoph chris;
stefanie steffi; susanne susi; sebastian basti; benjamin ben benni; thomas tom; franziska franzi; theresa resi; johanna hanna; magdalena lena leni; nikolaus klaus niko;
matthias matze; manfred manni; gabriele gabi; ursula uschi; rudolf rudi; konstantin kosta; leopold poldi; barbara babsi; bernhard bernd; gerhard gerd`,
  aliasPhrases: ', genannt; auch genannt; alias; auch bekannt als; mit Spitznamen; nennt sich',
}
