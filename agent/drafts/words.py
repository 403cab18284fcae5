"""The report's own words, in each language; braces are filled in, and hold LaTeX already."""

from collections.abc import Mapping
from typing import NamedTuple

from agent.records import Language


class Words(NamedTuple):
    """One language."""

    title: str
    notice: str
    abstract: str
    headings: Mapping[str, Mapping[str, str]]
    """Template -> section -> heading."""
    kinds: Mapping[str, str]
    model: Mapping[str, str]
    plot_fit: Mapping[str, str]
    """For legends: drawn by another program, so in plain words."""
    formula: Mapping[str, str]
    """LaTeX of a model."""
    parameter: Mapping[str, str]
    symbol: Mapping[str, str]
    caption_series: str
    caption_fit: str
    caption_lines: str
    caption_map: str
    caption_level: str
    say: Mapping[str, str]


_FORMULA = {
    "linear": r"y = a x + b",
    "exponential": r"y = A\,e^{\pm x/\tau} + c",
    "power": r"y = k\,x^{n}",
    "gaussian": r"y = A\,e^{-(x-x_0)^2/2\sigma^2} + c",
    "lorentz": r"y = A/(1+(x-x_0)^2/\gamma^2) + c",
    "resonance": r"y = A\big/\sqrt{1+Q^2(x/x_0-x_0/x)^2}",
}
_SYMBOL = {
    "slope": "a",
    "intercept": "b",
    "constant": r"\tau",
    "amplitude": "A",
    "offset": "c",
    "exponent": "n",
    "centre": "x_0",
    "quality": "Q",
    "width": r"\text{FWHM}",
}
_PLOT_FIT = {m: f"fit: {n}" for m, n in (("linear", "line"), ("exponential", "exponential"), ("power", "power law"), ("gaussian", "Gaussian"), ("lorentz", "Lorentzian"), ("resonance", "resonance"))}  # fmt: skip

_EN = Words(
    title="Data report",
    notice="This report was made from the files alone, by program and without a language model. It describes what was "
    "measured; it does not know why. Every number in it was read from the material or computed from it.",
    abstract="The folder holds {files} files, {data} of them data files; {tables} tables with {numbers} numbers were read. ",
    headings={
        "lab-report": {"material": "Material", "settings": "Conditions and settings", "data": "Measurements", "results": "Results", "limits": "Limits of this report", "sources": "Sources of the numbers"},
        "course-notes": {"material": "What the folder holds", "settings": "Under which conditions", "data": "What was recorded", "results": "What follows from the data", "limits": "What to keep in mind", "sources": "Where each number stands"},
        "article": {"material": "Data set", "settings": "Experimental settings", "data": "Data", "results": "Results", "limits": "Limitations", "sources": "Provenance of the numbers"},
    },
    kinds={"document": "document", "image": "image", "data": "data", "other": "other"},
    model={"linear": "a straight line", "exponential": "an exponential", "power": "a power law", "gaussian": "a Gaussian peak", "lorentz": "a Lorentzian peak", "resonance": "the amplitude of a driven resonator"},
    plot_fit=_PLOT_FIT,
    formula=_FORMULA,
    parameter={"slope": "slope", "intercept": "intercept", "constant": "constant", "amplitude": "amplitude", "offset": "offset", "exponent": "exponent", "centre": "centre", "quality": "quality factor", "width": "full width at half maximum"},
    symbol=_SYMBOL,
    caption_series="{y} against {x}. {where}.",
    caption_fit=" The curve is {model}, fitted.",
    caption_lines=" Triangles mark the fitted lines.",
    caption_map="{name}. {where}.",
    caption_level=" The least-squares plane is taken off.",
    say={
        "counts": "The folder holds {total} entries: {parts}.",
        "kind_document": "documents {n}", "kind_image": "images {n}", "kind_data": "data files {n}", "kind_other": "others {n}",
        "unread": "Not used, or only in part: {n}; Section~\\ref{{sec:limits}} says why.",
        "files_listed": "Table~\\ref{{tab:files}} lists them.",
        "files_caption": "Files of the folder.", "files_grouped": "Files of the folder, by kind of file.",
        "file": "File", "holds": "What it holds", "size": "Size / kB", "count": "Files",
        "continued": "continued on the next page",
        "rows": "table of {rows} rows, {columns} columns", "tables": "{n} tables, {rows} rows in all",
        "map": "maps: {names}", "pages": "text", "picture": "image, {w} by {h} pixels", "keys": "{n} named values",
        "copy": "the same numbers as {other}", "nothing": "nothing that could be used", "text": "text",
        "documents": "The documents are not interpreted here. By their own titles they are: {list}.",
        "settings_text": "The headers and notes of the files name the conditions; Table~\\ref{{{label}}} gives those of {file} that are usually needed ({n} of {all} entries).",
        "settings_caption": "Conditions, from {file}.", "key": "Entry", "value": "Value",
        "table_full": "{where} holds {rows} rows; they are given in full in Table~\\ref{{{label}}}.",
        "table_plain": "{where} holds {rows} rows.",
        "table_summary": "{where} holds {rows} rows; Table~\\ref{{{label}}} summarises its columns.",
        "full_caption": "Measured values. {where}.", "summary_caption": "Columns and their statistics. {where}.",
        "above": "Above it stands: {list}.", "column": "Column", "n": "$n$", "least": "least", "most": "greatest", "mean": "mean", "sd": "std. dev.",
        "range": "{column} runs from {least} to {most}.",
        "empty_columns": "No values are entered in {list}.",
        "figure": "Figure~\\ref{{{label}}} shows {y} against {x}.",
        "figure_log": " The ordinate is logarithmic, because the values span several powers of ten.",
        "figure_both": " Both directions of the sweep are drawn.",
        "figure_error": " Error bars are the values of {column}.",
        "spectrum": " In all {total} counts were recorded, at most {most} in one channel ({x} {at}).",
        "no_lines": " No line stands out clearly enough to be fitted.",
        "lines": " {n} lines could be fitted with a Gaussian on a straight background; Table~\\ref{{{label}}} gives them.",
        "lines_caption": "Lines of {where}: centre, full width at half maximum, counts above background, and width over centre.",
        "line": "Line", "centre": "Centre", "fwhm": "FWHM", "area": "Area", "resolution": "FWHM/centre / \\unit{{\\percent}}",
        "fit": " The data follow {model}, ${formula}$, with {parameters} ($R^2 = {r2}$, residual standard deviation {scatter}).",
        "systematic": " The residuals are not random along the curve: the model leaves something out, and the errors given are too small.",
        "extreme": " It is greatest at {x} ({y}).",
        "not_drawn": "The figure of {y} could not be drawn: {reason}.",
        "maps": "The map of {name} in \\file{{{file}}} covers {width} by {height} with {lines} lines of {pixels} pixels. Values lie between {least} and {most}; the root mean square deviation from the mean plane is {rough}. Figure~\\ref{{{label}}} shows it.",
        "maps_plain": "The map of {name} in \\file{{{file}}} covers {width} by {height} with {lines} lines of {pixels} pixels. Values lie between {least} and {most}; the root mean square deviation from the mean plane is {rough}.",
        "pictures": "Images of the folder are listed but not evaluated: reading values off a picture needs a person or a model.",
        "nothing_read": "No table and no map could be read in this folder.",
        "results_fits": "Table~\\ref{{tab:fits}} collects the fits. Errors are standard errors from the scatter of the points; they contain no systematic part.",
        "fits_caption": "Fitted parameters.", "series": "Series", "fitted": "Model", "parameters": "Parameters",
        "no_results": "None of the models tried (line, exponential, power law, peak, resonance) describes a series well enough for its parameters to be given.",
        "results_lines": "In the spectra {n} lines were fitted; the tables of the section before give them. Assigning them to transitions needs a calibration, which is not made here.",
        "spectra_caption": "Spectra: all counts, number of fitted lines, and the strongest line.", "spectrum_head": "Spectrum", "total": "Counts", "lines_head": "Lines", "strongest": "Strongest line",
        "results_spectra": "Table~\\ref{{tab:spectra}} compares the spectra.",
        "limit_model": "Nothing here is interpretation: names of columns and units are those of the files. Where a file gives no unit, none is assumed.",
        "limit_mean": "Means and standard deviations describe the columns; for values along a sweep they say nothing about uncertainty.",
        "limit_file": "{file}: {reason}.", "limit_files": "Files that could not be used, or only in part:",
        "limit_columns": "Not drawn:", "limit_remarks": "Remarks of the readers:",
        "limit_beyond": "{n} further series are not drawn.", "limit_incomplete": "The folder holds more files than are listed.",
        "more": "and {n} more",
        "sources_text": "Each number of this report, where it stands in the material, or from what it was computed.",
        "number": "Number", "how": "Kind", "source": "Source",
        "kind_cell": "read", "kind_statistic": "computed", "kind_count": "counted", "kind_fit": "fitted", "kind_figure": "figure", "kind_text": "read", "kind_configuration": "set by the user",
        "sources_cells": "{n} further cells of tables that are given in full are not repeated here: row and column of a table are those of its file.",
        "abstract_fit": "{y} against {x} ({where}) follows {model}: {parameters}. ",
        "abstract_lines": "{n} lines were found in {m} spectra. ",
        "and": " and ", "comma": ", ", "stop": ".",
    },
)  # fmt: skip

_ZH = Words(
    title="数据报告",
    notice="本报告仅由文件内容经程序自动生成，未使用语言模型。它描述测得了什么，并不知道为什么测量。文中每个数字均读自原始材料或由其计算得到。",
    abstract="该文件夹共有 {files} 个文件，其中数据文件 {data} 个；共读取 {tables} 个数据表、{numbers} 个数值。",
    headings={
        "lab-report": {"material": "实验材料", "settings": "实验条件与设置", "data": "测量数据", "results": "结果", "limits": "本报告的局限", "sources": "数字来源"},
        "course-notes": {"material": "文件夹内容", "settings": "测量条件", "data": "记录的数据", "results": "由数据得到的结论", "limits": "注意事项", "sources": "数字出处"},
        "article": {"material": "数据集", "settings": "实验设置", "data": "数据", "results": "结果", "limits": "局限性", "sources": "数字来源"},
    },
    kinds={"document": "文档", "image": "图像", "data": "数据", "other": "其他"},
    model={"linear": "直线", "exponential": "指数函数", "power": "幂律", "gaussian": "高斯峰", "lorentz": "洛伦兹峰", "resonance": "受迫谐振的振幅曲线"},
    plot_fit={"linear": "直线拟合", "exponential": "指数拟合", "power": "幂律拟合", "gaussian": "高斯拟合", "lorentz": "洛伦兹拟合", "resonance": "谐振曲线拟合"},
    formula=_FORMULA,
    parameter={"slope": "斜率", "intercept": "截距", "constant": "特征常数", "amplitude": "幅值", "offset": "偏置", "exponent": "指数", "centre": "中心", "quality": "品质因数", "width": "半高全宽"},
    symbol={**_SYMBOL, "width": r"\text{FWHM}"},
    caption_series="{y} 随 {x} 的变化。{where}。",
    caption_fit="曲线为拟合的{model}。",
    caption_lines="三角形标出拟合的谱线。",
    caption_map="{name}。{where}。",
    caption_level="已减去最小二乘平面。",
    say={
        "counts": "该文件夹共有 {total} 个条目：{parts}。",
        "kind_document": "文档 {n} 个", "kind_image": "图像 {n} 个", "kind_data": "数据文件 {n} 个", "kind_other": "其他 {n} 个",
        "unread": "其中 {n} 个无法使用或只能部分使用，原因见第~\\ref{{sec:limits}}~节。",
        "files_listed": "文件清单见表~\\ref{{tab:files}}。",
        "files_caption": "文件夹中的文件。", "files_grouped": "文件夹中的文件（按类型汇总）。",
        "file": "文件", "holds": "内容", "size": "大小 / kB", "count": "文件数",
        "continued": "接下页",
        "rows": "数据表，{rows} 行，{columns} 列", "tables": "{n} 个数据表，共 {rows} 行",
        "map": "图像通道：{names}", "pages": "文本", "picture": "图像，{w} × {h} 像素", "keys": "{n} 个命名数值",
        "copy": "与 {other} 数值相同", "nothing": "没有可用内容", "text": "文本",
        "documents": "此处不对文档内容作解释。按其自身标题，它们是：{list}。",
        "settings_text": "文件头与记录给出了测量条件；表~\\ref{{{label}}} 列出 {file} 中通常需要的条目（{all} 个条目中的 {n} 个）。",
        "settings_caption": "测量条件，取自 {file}。", "key": "条目", "value": "数值",
        "table_full": "{where} 含 {rows} 行数据，全部列于表~\\ref{{{label}}}。",
        "table_plain": "{where} 含 {rows} 行数据。",
        "table_summary": "{where} 含 {rows} 行数据，各列概要见表~\\ref{{{label}}}。",
        "full_caption": "测量值。{where}。", "summary_caption": "各列及其统计量。{where}。",
        "above": "表上方注明：{list}。", "column": "列", "n": "$n$", "least": "最小值", "most": "最大值", "mean": "平均值", "sd": "标准差",
        "range": "{column} 从 {least} 到 {most}。",
        "empty_columns": "以下各列没有填写数值：{list}。",
        "figure": "图~\\ref{{{label}}} 给出 {y} 随 {x} 的变化。",
        "figure_log": "由于数值跨越多个数量级，纵轴取对数。",
        "figure_both": "图中画出了扫描的两个方向。",
        "figure_error": "误差棒取自 {column} 列。",
        "spectrum": "总计数为 {total}，单道最大计数为 {most}（{x} {at}）。",
        "no_lines": "没有足够明显、可以拟合的谱线。",
        "lines": "用高斯函数加线性本底可拟合 {n} 条谱线，见表~\\ref{{{label}}}。",
        "lines_caption": "{where} 的谱线：中心、半高全宽、扣除本底后的计数、半高全宽与中心之比。",
        "line": "谱线", "centre": "中心", "fwhm": "半高全宽", "area": "净计数", "resolution": "宽度/中心 / \\unit{{\\percent}}",
        "fit": "数据符合{model} ${formula}$，{parameters}（$R^2 = {r2}$，残差标准差 {scatter}）。",
        "systematic": "残差沿曲线并非随机分布：模型有所遗漏，所给误差偏小。",
        "extreme": "最大值位于 {x}（{y}）。",
        "not_drawn": "{y} 的图未能绘出：{reason}。",
        "maps": "\\file{{{file}}} 中 {name} 的图像覆盖 {width} × {height}，共 {lines} 行、每行 {pixels} 像素。数值介于 {least} 与 {most} 之间；相对平均平面的均方根偏差为 {rough}。见图~\\ref{{{label}}}。",
        "maps_plain": "\\file{{{file}}} 中 {name} 的图像覆盖 {width} × {height}，共 {lines} 行、每行 {pixels} 像素。数值介于 {least} 与 {most} 之间；相对平均平面的均方根偏差为 {rough}。",
        "pictures": "文件夹中的图像仅列出而未作分析：从图片读取数值需要人工或模型。",
        "nothing_read": "该文件夹中没有读到数据表或测量图像。",
        "results_fits": "表~\\ref{{tab:fits}} 汇总拟合结果。误差为由数据点离散得到的标准误差，不含系统误差。",
        "fits_caption": "拟合参数。", "series": "数据", "fitted": "模型", "parameters": "参数",
        "no_results": "所尝试的模型（直线、指数、幂律、峰、谐振）均不足以描述任何一组数据，因此不给出参数。",
        "results_lines": "各谱中共拟合 {n} 条谱线，见上一节各表。将其归属于具体跃迁需要能量刻度，本报告未作刻度。",
        "spectra_caption": "各谱的总计数、拟合谱线数与最强谱线。", "spectrum_head": "谱", "total": "总计数", "lines_head": "谱线数", "strongest": "最强谱线",
        "results_spectra": "各谱的比较见表~\\ref{{tab:spectra}}。",
        "limit_model": "本报告不作解释：列名与单位均取自文件；文件未给单位时，不作假定。",
        "limit_mean": "平均值与标准差只是对各列的描述；对于扫描数据，它们与不确定度无关。",
        "limit_file": "{file}：{reason}。", "limit_files": "无法使用或只能部分使用的文件：",
        "limit_columns": "未绘图的列：", "limit_remarks": "读取时的说明：",
        "limit_beyond": "另有 {n} 组数据未绘图。", "limit_incomplete": "文件夹中的文件多于所列。",
        "more": "另有 {n} 项",
        "sources_text": "下表给出本报告中每个数字在原始材料中的位置，或其计算依据。",
        "number": "数字", "how": "类别", "source": "来源",
        "kind_cell": "读取", "kind_statistic": "计算", "kind_count": "计数", "kind_fit": "拟合", "kind_figure": "图", "kind_text": "读取", "kind_configuration": "用户设定",
        "sources_cells": "另有 {n} 个单元格位于全文给出的数据表中，此处不再重复：表中行列与文件一致。",
        "abstract_fit": "{where} 中 {y} 随 {x} 的变化符合{model}：{parameters}。",
        "abstract_lines": "在 {m} 个谱中共找到 {n} 条谱线。",
        "and": "和", "comma": "，", "stop": "。",
    },
)  # fmt: skip

WORDS: dict[Language, Words] = {"en": _EN, "zh": _ZH}
