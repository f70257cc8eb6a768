package surface

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// AdoptAttribute is the attribute "adopt" of a component whose object may
// exist already, made by somebody else. what names the object in words.
func AdoptAttribute(what string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: []validator.String{stringvalidator.OneOf("matching", "overwrite")},
		MarkdownDescription: "What to do about a " + what + " that exists already and does not carry this tenant's marker: " +
			"not set, refuse with the owner's name; `matching`, take it over if its content is what is wanted; " +
			"`overwrite`, take it over and change it.",
	}
}
