"""How a text tells a reviewer to look away, in several languages: data for `harness.source.addressed`.

Each language has names of reviewers (`called` says when one is spoken to rather than about) and what they are told.
Expressions are compared with text in the form of `harness.source.plain`, and are brought into it themselves.
"""

import re
from typing import Final, NamedTuple

from harness.source.plain import plain


class Voice(NamedTuple):
    """Somebody is spoken to, and what he is told within reach of that."""

    called: re.Pattern[str]
    told: re.Pattern[str]


LINE: Final = "\x1f"
"""Between the lines of a paragraph; white space to an expression."""
_CLAUSE = r"(?:^|[\n\x1f.:;,!?()\[\]{}\"'`*>|/—–-]\s*|\b(?:please|just|simply|then|and|to|kindly|you (?:must|should|shall|can|may|will)|instead|must|should|shall)\s+)"
"""Where an imperative can begin."""

# Names of reviewers; of models, only those that are none of a program's own (every web application has models).
_WHO = r"(?:(?:code|security|ai|automated|llm|human)[ -])?(?:reviewers?|auditors?|verifiers?|falsifiers?)|ai[ -](?:models?|systems?|assistants?|agents?|tools?)|(?:review|audit|coding|autonomous|llm)[ -](?:agents?|bots?|models?|tools?|assistants?)|llms?|(?:large )?language models?|assistant|chatgpt|gpt-?\d\w*|claude|gemini|copilot|ais?"
_NOTHING = r"(?:output|return|reply|respond|answer|emit|report|print|produce|give|write|say)\b[^.\n]{0,40}?(?:empty (?:list|array|json|object|result|findings)|\[\s*\]|\bno (?:findings|issues|problems|defects|bugs|vulnerabilities)|\bnothing\b|\bzero (?:findings|issues))"
_SILENT = r"(?:do not|don.?t|never|no need to|stop)\s+(?:\w+ )?(?:report|flag|review|audit|analy[sz]e|inspect|raise|mention|check|scan|read)"
_SKIP = r"(?:skip|ignore|disregard|exclude|pass over)\s+(?:this|the|these|all|any|everything|previous|prior|your)\b"
_MARK = r"(?:mark|treat|consider|classify|rate|label|report|declare|judge)\s+(?:this|it|everything|all|them|the \w+)\b[^.\n]{0,30}\b(?:safe|reviewed|approved|clean|refuted|secure|correct|dismissed|false positive|verified|intended)"
_APPROVE = r"(?:approve|accept|pass|merge|lgtm)\b\s*(?:this|it|the (?:change|file|code|diff)|everything|immediately|without|all\b|[.!]|$)"
_DONE = r"\b(?:already|previously|fully)\s+(?:been\s+)?(?:reviewed|audited|approved|verified|vetted|cleared)\b"
_SAFE = r"\b(?:is|are|was|has been)\s+(?:\w+ ){0,2}(?:safe|refuted|secure|a false positive|false positive|intended|not exploitable|harmless)\b"

# Orders before names: the other way round this file itself would speak to a reviewer.
_ENGLISH = (
    rf"{_CLAUSE}(?:{_NOTHING}|{_SILENT}|{_SKIP}|{_MARK}|{_APPROVE})|{_DONE}|{_SAFE}|(?:must|should|shall|need) (?:not|never) (?:report|flag|review|audit|analy[sz]e|inspect|raise|mention)",
    rf"(?:(?:^|[\n\x1f.!?#:\"'`*(\[<>|]\s*|- )(?:{_WHO})\s*(?:[:,!]|\s[-—–]\s)|\b(?:dear|attention|attn|(?:notes?|hint|important|instructions?|messages?) (?:to|for)|hey|hello|(?:if|as) you(?: are|.re))[:,]?\s+(?:an? |all |any |the |every |other )?(?:{_WHO})\b|\b(?:{_WHO})(?= (?:must|should|shall|are to|need to|has to|have to)\b))",
)
_CHINESE = (
    r"(?:输出|返回|回复|回答|給出|给出|輸出|回傳|回覆)[^。\n]{0,8}(?:空|\[\s*\]|无|沒有|没有)|(?:不要|请勿|無需|无需|不需要|不必|不用|請勿|勿)\s*(?:报告|审查|检查|审核|标记|分析|報告|審查|檢查|審核|標記)|(?:跳过|忽略|略過|跳過)|已(?:经|經)?(?:被)?(?:审查|审核|检查|验证|審查|審核|檢查|驗證|批准)|(?:视为|标记为|視為|標記為)[^。\n]{0,6}安全|没有问题|沒有問題",
    r"(?:审查者|审查员|审核者|审核员|评审者|评审员|审计员|审计者|代码审查|验证者|審查者|審查員|審核者|審核員|稽核員|(?:人工智能|人工智慧|ai|模型|助手|大模型|语言模型|語言模型)(?:审查员|審查員)?\s*[:,，：!！])",
)
_JAPANESE = (
    r"空の?\s*(?:リスト|配列|結果|\[\s*\])|何も(?:出力|報告|指摘)|\[\s*\]\s*を(?:出力|返)|(?:報告|指摘|レビュー|確認)(?:しない|するな|は不要|不要)|(?:スキップ|無視)し(?:て|ろ)|(?:レビュー|確認|審査|監査|検証)済み?|問題(?:は)?(?:ありません|なし|ない)|安全(?:です|と(?:判断|みな))",
    r"(?:レビュアー|レビューア|レビュワー|レビュー担当者?|査読者|監査人|監査者|監査担当者?|審査員|審査者|検証者|(?:ai|アシスタント|モデル|aiアシスタント|言語モデル)\s*(?:へ|は|[:、,：!！]))",
)
_GERMAN = (
    r"\b(?:bereits|schon)\s+(?:\w+ )?(?:gepruft|uberpruft|reviewt|freigegeben|auditiert|begutachtet)|\b(?:gib|gebe|geben sie|antworte\w*|melde\w*|liefere?)\b[^.\n]{0,40}(?:leere\w* (?:liste|array|ergebnis)|\bnichts\b|\bkeine\w* (?:befunde|fehler|funde|probleme)|\[\s*\])|\b(?:nicht|nichts) (?:prufen|melden|untersuchen|berichten)|\b(?:uberspring\w*|ignorier\w*)\b|\bals (?:sicher|gepruft|unbedenklich)\b|\bist (?:\w+ )?(?:sicher|unbedenklich)\b",
    r"(?:\b(?:an (?:alle |den |die )?|hinweis (?:an|fur) (?:alle |den |die )?|liebe[r]? |achtung,? )?(?:prufer(?:in)?|gutachter(?:in)?|reviewer|auditor(?:en)?|auditierende|code-prufer|ki-(?:modell|assistent|prufer|agent)|sprachmodell|ki|assistent)\s*[:,!]|\b(?:hinweis|anweisung) (?:an|fur) (?:alle |den |die |das )?(?:prufer|gutachter|reviewer|auditor|ki|sprachmodell)\w*)",
)
_RUSSIAN = (
    r"\bуже\s+(?:\w+ )?(?:провер|просмотр|одобр|рассмотр)\w*|\b(?:верни\w*|выведи\w*|ответь\w*|выдай\w*)\s[^.\n]{0,25}(?:пуст|ничего|\[\s*\])|\bне\s+(?:сообщай|докладывай|проверяй|анализируй|указывай|отмечай)\w*|\b(?:пропусти|игнорируй)\w*|\bбезопас\w+|\bничего не (?:сообщай|выводи)\w*",
    r"\b(?:проверяющ\w+|рецензент\w*|ревьюер\w*|аудитор\w*)\b|\b(?:ии|модел\w{1,3}|ассистент\w*|помощник\w*|нейросет\w+)(?:-\w+)?\s*[:,!—–-]",
)
_ARABIC = (
    r"(?:تم(?:ت)?\s+(?:بالفعل\s+)?(?:مراجع|المراجعة|التدقيق|تدقيق|فحص|مراجعة)|قائمة\s+فارغة|مصفوفة\s+فارغة|\[\s*\]|لا\s+(?:تبلغ|تذكر|تراجع|تفحص|تدقق)|تجاهل|تخط|آمن)",
    r"(?:المراجع(?!ة)|المدقق|أيها المراجع|إلى المراجع|المدققين|المراجعين|(?:الذكاء الاصطناعي|النموذج|المساعد|نموذج اللغة)\s*[:،,!])",
)
_FRENCH = (
    r"\bdeja\s+(?:ete\s+)?(?:relu|verifie|revu|audite|approuve|valide)\w*|\b(?:renvoie|renvoyez|retourne[rz]?|reponds|repondez|affiche[rz]?)\b[^.\n]{0,40}(?:liste vide|tableau vide|\brien\b|\[\s*\])|\bne (?:signale|rapporte|verifie|relis)\w*|\b(?:ignore[rz]?|saute[rz]?) (?:ce|cette|tout|le|les)\b",
    r"\b(?:relecteurs?|relectrices?|reviseurs?|auditeurs?|verificateurs?|ia|assistant|modele de langage)\s*[:,!]",
)
_SPANISH = (
    r"\bya\s+(?:ha sido\s+|fue\s+|esta\s+)?(?:revisad|verificad|auditad|aprobad)\w*|\b(?:devuelv\w+|responde\w*|imprim\w+|emit\w+)\b[^.\n]{0,40}(?:lista vacia|arreglo vacio|\bnada\b|\[\s*\])|\bno (?:informes?|reportes?|revises?|senales)\b|\b(?:ignora|omite)\w* (?:este|esta|todo|el|la)\b",
    r"\b(?:revisor(?:es)?|auditor(?:es)?|verificador(?:es)?|ia|asistente|modelo de lenguaje)\s*[:,!]",
)


def _pattern(text: str) -> re.Pattern[str]:
    # An escape such as \b is no letter of the text, so it stays as it is. A blank may be the end of a line.
    parts = re.split(r"(\\.)", text)
    return re.compile("".join(part if n % 2 else plain(part).replace(" ", r"\s") for n, part in enumerate(parts)))


VOICES: Final = tuple(
    Voice(_pattern(called), _pattern(told))
    for told, called in (
        _ENGLISH, _CHINESE, _JAPANESE, _GERMAN, _RUSSIAN, _ARABIC, _FRENCH, _SPANISH,
    )
)  # fmt: skip

STRONG: Final = tuple(
    map(
        _pattern,
        (
            r"\b(?:ignore|disregard|forget|override)\s+(?:all |any |everything |the |your |of ){0,3}(?:previous|prior|preceding|earlier|existing|system)\s+(?:\w+ )?(?:instructions?|prompts?|directions|guidelines)",
            r"\b(?:ignore|disregard|forget|override)\s+(?:all |any )?(?:of )?your\s+(?:\w+ )?(?:instructions?|prompts?|rules|guidelines)",
            rf"{_DONE}[^\n]{{0,60}}{_CLAUSE}(?:{_NOTHING}|{_SILENT})",
            r"\b(?:output|return|reply|respond|answer|emit|print)\b[^.\n]{0,40}\{\s*\\?[\"']?findings\\?[\"']?\s*:\s*\[\s*\]",
            r"\b(?:answer|reply|respond|output|return|vote)\b[^.\n]{0,40}\bverdict\\?[\"']?\s*[:=]\s*\\?[\"']?(?:stands|refuted)",
            r"\b(?:safe|harmless|fine|by design|intended)\b[\s,;:—–-]{1,4}(?:and |so |hence )?(?:is )?refuted\b",
            r"(?:忽略|无视|忘记|無視|忘掉)(?:掉)?(?:你)?(?:所有|全部)?(?:的)?(?:之前|以上|先前|前面|之前所有|此前)[^。\n]{0,6}(?:指令|指示|提示|命令|说明|說明)",
            r"(?:以前|これまで|上記|先)の(?:すべての|全ての)?(?:指示|命令|プロンプト)を(?:すべて|全て)?(?:無視|忘れ)",
            r"\b(?:ignorier|vergiss)\w*\s+(?:\w+ ){0,2}(?:vorherig|bisherig|fruher|vorangegangen)\w*\s+(?:anweisung|instruktion|regel|vorgabe)",
            r"\b(?:игнорируй|забудь|игнорировать)\w*\s+(?:\w+ ){0,2}(?:предыдущ|прежн|вышеуказанн)\w*\s+(?:инструкц|указан|команд)",
            r"تجاهل\s+(?:جميع\s+|كل\s+)?(?:التعليمات|الأوامر)\s+(?:السابقة|أعلاه)",
            r"\b(?:ignore[rz]?|oublie[rz]?)\s+(?:\w+ ){0,3}(?:instructions|consignes)\s+(?:precedentes|anterieures)",
            r"\b(?:ignora|olvida)\w*\s+(?:\w+ ){0,3}(?:instrucciones|ordenes)\s+(?:anteriores|previas)",
        ),
    )
)
"""Enough without an address."""

STEMS: Final = tuple(
    plain(stem)
    for stem in (
        "review", "audit", "verifier", "falsifier", "llm", "language model", "assistant", "chatgpt", "gpt", "claude", "gemini",
        "copilot", "ai ", "ai:", "ai,", "ai-", "ais", "instruction", "prompt", "guidelines", "directions", "findings", "refuted",
        "your rules", "verdict", "审", "评", "验证者", "審", "稽", "人工", "模型", "助手", "指", "提示", "レビュ", "査", "監", "検証", "アシスタント", "モデル", "命令",
        "プロンプト", "prufer", "gutachter", "ki-", "ki:", "ki,", "sprachmodell", "assistent", "anweisung", "instruktion",
        "проверяющ", "рецензент", "ревьюер", "аудитор", "ии", "модел", "ассистент", "помощник", "нейросет", "инструкц", "указан",
        "المراجع", "المدقق", "الذكاء", "النموذج", "المساعد", "نموذج", "التعليمات", "الأوامر", "relect", "reviseur", "auditeur",
        "verificateur", "ia:", "ia,", "ia :", "modele", "consignes", "revisor", "verificador", "asistente", "modelo", "instrucciones",
        "ordenes",
    )
)  # fmt: skip
"""A text that holds none of these speaks to nobody; searching for them is what makes looking at a large tree cheap."""
