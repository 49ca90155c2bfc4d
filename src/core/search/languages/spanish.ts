import type { LanguageData } from './language-data.ts'

export const spanish: LanguageData = {
  code: 'es',
  stopWords: `
a al algo algunas algunos ante antes aqui asi aun aunque bajo bien cada casi como con contra cual cuales cualquier cuando cuanto de del desde donde dos
durante e el ella ellas ellos en entre era eran eres es esa esas ese eso esos esta estaba estaban estamos estan estar estas este esto estos estoy fue fueron
fui ha habia han has hasta hay he hemos la las le les lo los mas me mi mis mientras mucho muchos muy nada ni no nos nosotros nuestra nuestro o otra otras
otro otros para pero poco por porque que quien quienes se segun ser si sido siempre sin sobre son soy su sus tambien tan tanto te tenia tiene tienen tengo
toda todas todo todos tu tus un una unas uno unos usted ustedes va vamos van y ya yo cuando donde quien adonde`,
  ambiguous: 'a al as come con e el en era ha has he la las lo me mi no on para se si sin son su tan te un van y yo',
  letters: 'ñ¿¡',
  irregular: `
ir voy vas va vamos van iba fue fueron ido; ser soy eres es somos son era sido; tener tengo tiene tienen tuvo tenido; hacer hago hace hacen hizo hecho; decir digo dice dicen dijo dicho;
poder puedo puede pueden pudo; querer quiero quiere quieren quiso; venir vengo viene vienen vino; ver veo ve vio visto; dar doy da dio; saber se sabe supo; poner pongo pone puso puesto;
jugar juego juega juegan; dormir duermo duerme duermen durmio; volver vuelvo vuelve volvio vuelto; escribir escrito; abrir abierto; morir muere murio muerto; bueno buen mejor; malo mal peor`,
  endings: [
    'mente',
    's es',
    'ando iendo ado ada ido ida aba aban ia ian aron ieron aste iste ara era ira ar er ir o a e io',
  ],
  restMin: 3,
  nicknames: `
francisco paco pancho curro; jose pepe; ignacio nacho; guadalupe lupe; dolores lola; mercedes merche; enrique quique kike; antonio tono; manuel manolo; rafael rafa; isabel isa;
concepcion concha conchita; teresa tere; roberto beto; alberto beto; guillermo memo; consuelo chelo; rosario charo; eduardo edu lalo; santiago santi; fernando nando; jesus chuy`,
  aliasPhrases: 'llamado; llamada; conocido como; conocida como; alias; apodado; apodada',
}
