"""Where an edit goes."""
from filewright.edit.locate.cascade import locate
from filewright.edit.locate.located import Located, Missed
from filewright.edit.locate.request import Edit, Tier
__all__=["Edit","Located","Missed","Tier","locate"]
